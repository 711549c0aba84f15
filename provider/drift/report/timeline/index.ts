import type { FiguresFormat } from "./format";

/** By the name that `drift history --format` takes; each is loaded when it is first asked for. */
export const figuresFormats: Readonly<Record<string, FiguresFormat>> = {
  get text() {
    return (require("./text") as typeof import("./text")).text;
  },
  get json() {
    return (require("./json") as typeof import("./json")).json;
  },
  get html() {
    return (require("./html") as typeof import("./html")).html;
  },
};
