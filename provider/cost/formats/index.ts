import type { CostFormat } from "./format";

/** By the name that `--format` takes; each is loaded when it is first asked for. */
export const formats: Readonly<Record<string, CostFormat>> = {
  get text() {
    return (require("./text") as typeof import("./text")).text;
  },
  get markdown() {
    return (require("./markdown") as typeof import("./markdown")).markdown;
  },
  get json() {
    return (require("./json") as typeof import("./json")).json;
  },
  get csv() {
    return (require("./csv") as typeof import("./csv")).csv;
  },
  get html() {
    return (require("./html") as typeof import("./html")).html;
  },
};
