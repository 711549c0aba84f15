import { settingFields, settingKey, settingVariable } from "../../provider/core/settings";
import { didYouMean } from "../../provider/core/values/closest";
import { usageError } from "./failure";

/** The environment variable of a setting that is given as `modelplatform:key=value`. */
export function variableIn(pair: string): Record<string, string> {
  const [, key = "", value = ""] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? [];
  const field = settingFields.find(({ name }) => settingKey(name) === key);
  const known = settingFields.filter(({ markers }) => !markers.secret).map(({ name }) => settingKey(name));
  if (!field)
    throw usageError(`--config takes a setting and its value, such as ${known[0]}=acme${didYouMean(key, known)}.`);
  if (field.markers.secret)
    throw usageError(
      `--config ${key}: every process of the machine sees the arguments of a command; set \`${settingVariable(field.name)}\`.`,
    );
  return { [settingVariable(field.name)]: value };
}
