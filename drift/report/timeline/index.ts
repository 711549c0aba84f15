import { type Formats, format } from "../../../io/text/format";
import type { HistoryFigures } from "../../history/index";
import type { FiguresContext } from "./format";

/** The formats of the figures of a history. */
export const figuresFormats: Formats<HistoryFigures, FiguresContext> = {
  text: format("txt", "people at a terminal", () => (require("./text") as typeof import("./text")).text),
  json: format("json", "programs", () => (require("./json") as typeof import("./json")).json),
  html: format("html", "people with a browser, offline", () => (require("./html") as typeof import("./html")).html),
};
