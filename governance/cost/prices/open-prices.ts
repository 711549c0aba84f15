import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isIn } from "../../../io/paths/containment";
import { fileNamed, type ReadSettingFile, readSettingFile } from "../../../provider/api/settings/setting-files";
import {
  createSources,
  type FoundSetting,
  howToSet,
  placesOf,
  type SettingSources,
} from "../../../provider/api/sources";
import { ConfigurationError } from "../../../provider/core/errors";
import type { Prices } from "./prices";
import { readPrices } from "./read-prices";

interface PlaceOfPrices {
  /** The folder that relative paths start from. */
  cwd: string;
  readFile?: ReadSettingFile;
}

/** The prices that the setting `prices` names or holds; undefined where it is not set. Throws `ConfigurationError`. */
export function openPrices(
  given: SettingSources,
  { cwd, readFile = readSettingFile }: PlaceOfPrices,
): Prices | undefined {
  const found = createSources(given).find("prices");
  if (!found) return undefined;
  const text = String(found.value);
  if (isContent(text)) return readPrices(text, found.where);
  const path = resolve(cwd, text);
  if (found.from === "project") refuseOutside(found, path, cwd);
  const file = fileNamed({ ...found, value: path }, readFile);
  return readPrices(String(file.value), `\`${text}\` (${found.where})`);
}

/** The same, where there have to be some. */
export function requirePrices(given: SettingSources, place: PlaceOfPrices): Prices {
  const prices = openPrices(given, place);
  if (prices) return prices;
  throw new ConfigurationError(`no prices are given (${placesOf("prices", {})}), and this package has none`, {
    advice: howToSet("prices", {}),
  });
}

const isContent = (text: string): boolean => /^\s*\{/.test(text) || text.includes("\n");

/** Anybody may have written a project's files: they name no file of the machine outside of it. */
function refuseOutside({ where }: FoundSetting, path: string, cwd: string): void {
  if (!existsSync(path) || isIn(path, cwd)) return;
  throw new ConfigurationError(`${where} names a file outside of the project`, {
    advice: "Put the price file into the project, or name it with `MODELPLATFORM_PRICES`.",
  });
}
