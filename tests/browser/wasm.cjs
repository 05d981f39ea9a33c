// Run a Python script in the site's own WebAssembly, without a browser: node wasm.cjs FOLDER SCRIPT
// FOLDER has the files of the site's two bundles; SCRIPT's last expression is printed.
"use strict";
const fs = require("node:fs");
const [folder, script] = process.argv.slice(2);
const bytes = (name) => new Uint8Array(fs.readFileSync(`${folder}/${name}`));

(async () => {
  const { loadPyodide } = require(`${folder}/pyodide.js`);
  const python = await loadPyodide({ indexURL: folder });
  python.FS.writeFile("/tmp/backtrace.so", bytes("backtrace.so"));
  await python._module.loadDynamicLibrary("/tmp/backtrace.so", { loadAsync: true, global: true, nodelete: true, fs: python.FS });
  for (const name of ["packages.tar", "linlib.tar", "tests.tar"]) python.unpackArchive(bytes(name), "tar");
  console.log(python.runPython(fs.readFileSync(script, "utf-8")));
})().catch((error) => {
  console.log(error.message);
  process.exitCode = 1;
});
