import { type Formats, format } from "../../../io/text/format";
import { printableJson } from "../../../io/text/printable";
import type { HistoryFigures } from "../../history/index";
import type { FiguresContext, FiguresWriter } from "./words";

/** The formats of the figures of a history. */
export const figuresFormats: Formats<HistoryFigures, FiguresContext> = {
  text: format("txt", "people at a terminal", () => (require("./text") as typeof import("./text")).text),
  json: format("json", "programs", () => json),
  html: format("html", "people with a browser, offline", () => (require("./html") as typeof import("./html")).html),
};

const json: FiguresWriter = (figures) => `${printableJson(figures, 2)}\n`;
