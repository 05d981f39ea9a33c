// Python in the page: one worker for all that is alive in it, loaded when it is first asked for.
// The parts of Python come as scripts with text in them, because a page that lies in a folder may
// load scripts and may fetch nothing. lincourse/publish/live.py writes them.
"use strict";

(() => {
// What the worker does. It is made from this very text, so nothing outside is known here.
function work() {
  let python;
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
  const run = (script) => self.importScripts(URL.createObjectURL(new Blob([script])));

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
    const page = python.pyimport("in_page");
    page.connect(say);
    self.onmessage = ({ data: { call, key, rest } }) => {
      const begun = performance.now();
      try {
        page[call](key, ...rest);
      } catch (error) {
        say("failed", key, JSON.stringify(String(error.message).trim().split("\n").at(-1)));
      }
      say("done", key, JSON.stringify({ ms: performance.now() - begun, heap: python._module.HEAP8.length }));
    };
    say("ready");
  }
  self.onmessage = ({ data }) => start(data).catch((error) => say("broken", "", JSON.stringify(String(error).slice(-300))));
}

window.linlibLive ??= {
  about: null, // what the site brings, set by the build
  folder: new URL("../live/", document.currentScript.src),
  chunks: new Map(),
  users: new Map(), // by key: what hears from Python
  took: [], // for each call its milliseconds and the size of Python's memory, for the tests
  LONG: 1500, // milliseconds after which a reader may stop what goes on

  // Tell why there can be no Python here, if so.
  get missing() {
    if (!this.about) return "this copy of the site was built without Python";
    if (typeof WebAssembly !== "object") return "this browser does not allow WebAssembly";
    if (typeof DecompressionStream !== "function") return "this browser is too old for it";
    return "";
  },

  get size() {
    return Object.values(this.about.bundles).flatMap(Object.values).reduce((a, b) => a + b, 0) * 0.75 / 1e6;
  },

  tell(words, state = "loading") {
    for (const user of this.users.values()) user.progress(words, state);
  },

  // Take the text of a script; each script calls this once.
  chunk(name, text) {
    this.chunks.get(name).text = text;
  },

  load(name, size) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      this.chunks.set(name, { size });
      script.src = new URL(name, this.folder);
      script.onload = async () => {
        const { text } = this.chunks.get(name), { length } = text;
        const bytes = await (await fetch(`data:application/octet-stream;base64,${text}`)).blob();
        this.chunks.set(name, { size, bytes });
        this.arrived = (this.arrived ?? 0) + length * 0.75 / 1e6;
        this.tell(`Python is on its way: ${this.arrived.toFixed(1)} of ${this.size.toFixed(1)} MB`);
        script.remove();
        resolve(bytes);
      };
      script.onerror = () => reject(new Error("a part of Python could not be loaded"));
      document.head.append(script);
    });
  },

  // Load Python once; later calls wait for the same.
  ready() {
    this.loading ??= this.begin().catch((error) => {
      this.broken = error.message;
      this.tell(`No Python here: ${error.message}. The recorded pictures stay.`, "broken");
      throw error;
    });
    return this.loading;
  },

  async begin() {
    if (this.missing) throw new Error(this.missing);
    this.tell("Python is on its way …");
    const bundles = {};
    await Promise.all(Object.entries(this.about.bundles).map(async ([name, scripts]) => {
      const parts = Object.entries(scripts).map(([file, size]) => this.load(file, size));
      bundles[name] = new Blob(await Promise.all(parts));
    }));
    this.bundles = bundles;
    await this.restart();
  },

  restart() {
    this.tell("Python is starting …");
    this.worker?.terminate();
    const code = URL.createObjectURL(new Blob([`(${work})()`], { type: "text/javascript" }));
    this.worker = new Worker(code);
    this.calls = [];
    return new Promise((resolve, reject) => {
      this.worker.onerror = (event) => reject(new Error(event.message || "workers are not allowed"));
      this.worker.onmessage = ({ data: { kind, key, json } }) => {
        const told = json === undefined ? null : JSON.parse(json);
        if (kind === "ready") resolve();
        else if (kind === "broken") reject(new Error(told));
        else if (kind === "done") this.done(told);
        else this.users.get(key)?.[kind](told);
      };
      this.worker.postMessage({ bundles: this.bundles, address: this.about.address });
    });
  },

  // Call a function of in_page.py; calls are answered one after the other.
  call(call, key, ...rest) {
    this.calls.push(key);
    this.worker.postMessage({ call, key, rest });
    if (this.calls.length === 1) this.watch();
  },

  watch() {
    clearTimeout(this.timer);
    const [key] = this.calls;
    this.users.get(key)?.long(false);
    if (this.calls.length) this.timer = setTimeout(() => this.users.get(key)?.long(true), this.LONG);
  },

  done(spent) {
    this.took = [...this.took.slice(-99), spent];
    const user = this.users.get(this.calls.shift());
    user?.long(false);
    user?.idle();
    this.watch();
  },

  // End what goes on, however long it would take; everything on the page begins where it was.
  async stop() {
    clearTimeout(this.timer);
    for (const user of this.users.values()) user.alive = false;
    this.loading = this.restart();
    await this.loading;
    for (const user of this.users.values()) user.again();
  },
};
})();
