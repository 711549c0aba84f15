import { isUnknown } from "../../provider/core/values/unknowns";
import { isObject, type Values } from "../../provider/core/values/values";

/** An object's labels, as far as they are known. */
export const annotationsIn = ({ annotations }: Values): Readonly<Record<string, string>> =>
  isObject(annotations)
    ? Object.fromEntries(
        Object.entries(annotations).filter(
          (entry): entry is [string, string] => typeof entry[1] === "string" && !isUnknown(entry[1]),
        ),
      )
    : {};
