// Python in the page: one worker for all that is alive in it, loaded when it is first asked for.
// The parts of Python come as scripts with text in them, because a page that lies in a folder may
// load scripts and may fetch nothing. lincourse/publish/live.py writes them.
/* oxlint-disable unicorn/require-post-message-target-origin -- a page talks to its worker alone */
"use strict";

window.linlibLive ??= {
  about: null, // what the site brings, set by the build, as the next
  work: "", // the text of worker.js, because a page in a folder may start no worker from a file
  folder: new URL("../live/", document.currentScript.src),
  texts: new Map(), // of scripts that were loaded, by their names
  users: new Map(), // by key: what hears from Python
  calls: [], // what Python is asked, in order
  took: [], // for each call its milliseconds and the size of Python's memory, for the tests
  LONG: 1500, // milliseconds after which a reader may stop what goes on

  make(parent, tag, attributes = {}, text = "") {
    const node = parent.appendChild(document.createElement(tag));
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.textContent = text;
    return node;
  },

  // Tell why there can be no Python here, if so.
  get missing() {
    if (!this.about) return "this copy of the site was built without Python";
    if (typeof DecompressionStream !== "function") return "this browser is too old for it";
    // A server's policy may forbid what the browser has: try the smallest module there is.
    let smallest = null;
    try {
      smallest = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    } catch { /* or there is no WebAssembly at all */ }
    return smallest ? "" : "WebAssembly is not allowed here";
  },

  get size() {
    return Object.values(this.about.bundles).flatMap(Object.values).reduce((a, b) => a + b, 0) * 0.75 / 1e6;
  },

  tell(words, state = "loading") {
    for (const user of this.users.values()) user.hear(words, state);
  },

  // Take the text of a script; each script calls this once.
  chunk(name, text) {
    this.texts.set(name, text);
  },

  async load(name) {
    const script = document.createElement("script");
    script.src = new URL(name, this.folder);
    await new Promise((resolve, reject) => {
      script.addEventListener("load", resolve);
      script.addEventListener("error", () => reject(new Error("a part of Python could not be loaded")));
      document.head.append(script);
    });
    script.remove();
    const text = this.texts.get(name);
    this.texts.delete(name);
    const bytes = await (await fetch(`data:application/octet-stream;base64,${text}`)).blob();
    this.arrived = (this.arrived ?? 0) + text.length * 0.75 / 1e6;
    this.tell(`Python is on its way: ${this.arrived.toFixed(1)} of ${this.size.toFixed(1)} MB`);
    return bytes;
  },

  // Load Python once; later calls wait for the same.
  ready() {
    this.loading ??= this.begin().catch((error) => {
      this.broken = error.message;
      this.tell(`No Python here: ${error.message}.`, "broken");
      throw error;
    });
    return this.loading;
  },

  async begin() {
    if (this.missing) throw new Error(this.missing);
    this.tell("Python is on its way …");
    const bundles = {};
    for (const [name, scripts] of Object.entries(this.about.bundles)) {
      const parts = []; // one after the other: on a slow line the reader sees each of them come
      for (const script of Object.keys(scripts)) parts.push(await this.load(script));
      bundles[name] = new Blob(parts);
    }
    this.bundles = bundles;
    await this.restart();
  },

  restart() {
    this.tell("Python is starting …");
    this.worker?.terminate();
    const code = URL.createObjectURL(new Blob([this.work], { type: "text/javascript" }));
    this.worker = new Worker(code);
    this.calls = [];
    return new Promise((resolve, reject) => {
      this.worker.addEventListener("error", (event) => reject(new Error(event.message || "workers are not allowed")));
      this.worker.addEventListener("message", ({ data: { kind, key, json } }) => {
        const told = json === undefined ? null : JSON.parse(json);
        if (kind === "ready") resolve();
        else if (kind === "broken") reject(new Error(told));
        else if (kind === "done") this.done(told);
        else this.users.get(key)?.[kind](told);
      });
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
    const [stopped] = this.calls;
    for (const user of this.users.values()) user.alive = false;
    this.loading = this.restart();
    await this.loading;
    for (const [key, user] of this.users) user.again(key === stopped);
  },
};
