// A state in an address: what differs from the state with which a picture began, in few letters.
"use strict";

window.linlibLink ??= {
  SHORT: "~", // how the letters begin; those of old links, which bring a whole state, begin otherwise
  PLACES: 1e4, // places have four decimals

  // Return the letters for a state.
  async written(state, first) {
    const words = JSON.stringify([this.mark(first), this.changes(state, first)]);
    const bytes = await this.through(words, new CompressionStream("deflate-raw"));
    const letters = btoa(String.fromCodePoint(...bytes));
    return this.SHORT + letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  },

  // Return the state for letters; a RangeError says why there is none.
  async read(letters, first) {
    const short = letters.startsWith(this.SHORT);
    const plain = letters.slice(short ? this.SHORT.length : 0).replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(plain), (one) => one.codePointAt(0));
    const words = short ? await this.through(bytes, new DecompressionStream("deflate-raw")) : bytes;
    const found = JSON.parse(new TextDecoder().decode(words));
    if (!short) return found;
    const [mark, changed] = found;
    if (mark !== this.mark(first)) throw new RangeError("The link was made when this picture began differently: it cannot be shown.");
    return this.restored(changed, first);
  },

  // Return what has changed; of a list how many rows there are, and the rows that have changed.
  changes(state, first) {
    const found = {};
    for (const [name, value] of Object.entries(state)) {
      const before = first[name];
      if (value === before || (Array.isArray(value) && this.same(value, before))) continue;
      found[name] = value;
      if (!Array.isArray(value) || !Array.isArray(before)) continue;
      found[name] = { n: value.length };
      value.forEach((row, k) => {
        if (!this.same([row], [before[k]])) [found[name][k]] = this.rounded([row]);
      });
    }
    return found;
  },

  // Return the state with these changes.
  restored(changed, first) {
    const state = { ...first };
    for (const [name, value] of Object.entries(changed)) {
      const listed = Array.isArray(first[name]) && !Array.isArray(value);
      state[name] = listed ? Array.from({ length: value.n }, (_, k) => value[k] ?? first[name][k]) : value;
    }
    return state;
  },

  // Return some letters that are others where a picture begins differently.
  mark(first) {
    const words = JSON.stringify(Object.values(first).map((value) => this.rounded(value)));
    return [...words].reduce((sum, letter) => (Math.imul(sum, 31) + letter.codePointAt(0)) >>> 0, 0).toString(36);
  },

  // Return lists with their numbers as places are rounded; a number by itself has all its digits.
  rounded(value) {
    if (!Array.isArray(value)) return value;
    return value.map((one) => (typeof one === "number" ? Math.round(one * this.PLACES) / this.PLACES : this.rounded(one)));
  },

  same(one, other) {
    return JSON.stringify(this.rounded(one)) === JSON.stringify(this.rounded(other));
  },

  async through(bytes, stream) {
    const made = new Blob([bytes]).stream().pipeThrough(stream);
    return new Uint8Array(await new Response(made).arrayBuffer());
  },
};
