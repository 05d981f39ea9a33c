// The worker of live.js: starts Python, makes and moves explorers, runs exercises.
/* oxlint-disable unicorn/require-post-message-target-origin -- a worker talks to its page alone */
"use strict";

let python, page;
const say = (kind, key, json) => self.postMessage({ kind, key, json });
const unpacked = async (blob) => {
  const plain = blob.stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
};
const files = (tar) => {
  const found = {}, word = (at, length) => new TextDecoder().decode(tar.subarray(at, at + length)).split("\0")[0];
  for (let at = 0; tar[at]; ) {
    const size = parseInt(word(at + 124, 12), 8);
    found[word(at, 100)] = tar.subarray(at + 512, at + 512 + size);
    at += 512 + 512 * Math.ceil(size / 512);
  }
  return found;
};
const run = (script) => self.importScripts(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));

async function carried(bundle) {
  const inside = files(await unpacked(bundle));
  run(inside["pyodide.js"]);
  run(inside["pyodide.asm.js"]);
  // Pyodide asks for its files by their addresses; all of them are here.
  self.fetch = async (address) => {
    const name = String(address).split("/").at(-1);
    if (!inside[name]) throw new TypeError(`${name} is not part of this site`);
    return new Response(inside[name], { headers: { "Content-Type": name.endsWith(".wasm") ? "application/wasm" : "text/plain" } });
  };
  const made = await self.loadPyodide({ indexURL: "https://site.invalid/" });
  made.FS.writeFile("/tmp/backtrace.so", inside["backtrace.so"]);
  await made._module.loadDynamicLibrary("/tmp/backtrace.so", { loadAsync: true, global: true, nodelete: true, fs: made.FS });
  made.unpackArchive(inside["packages.tar"], "tar");
  return made;
}

async function elsewhere(address) {
  self.importScripts(`${address}pyodide.js`);
  const made = await self.loadPyodide({ indexURL: address });
  await made.loadPackage(["numpy", "contourpy"]);
  return made;
}

async function start({ bundles, address }) {
  python = await (address ? elsewhere(address) : carried(bundles.python));
  python.unpackArchive(await unpacked(bundles.linlib), "tar");
  page = python.pyimport("in_page");
  page.connect(say);
  say("ready");
}

// Call a function of in_page.py.
function answer({ call, key, rest }) {
  const begun = performance.now();
  try {
    page[call](key, ...rest);
  } catch (error) {
    say("failed", key, JSON.stringify(String(error.message).trim().split("\n").at(-1)));
  }
  say("done", key, JSON.stringify({ ms: performance.now() - begun, heap: python._module.HEAP8.length }));
}

self.addEventListener("message", ({ data }) => {
  if (page) answer(data);
  else start(data).catch((error) => say("broken", "", JSON.stringify(String(error).slice(-300))));
});
