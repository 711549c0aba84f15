import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { answeredFields, memberNamed, unknownMember } from "../../provider/core/filters/answered-fields";
import { ApiError, type Fields } from "../types";

/** What a mask keeps: members by name, each whole (`true`) or in part. */
type MaskTree = Map<string, MaskTree | true>;

const parsed = new WeakMap<ResourceSpec, Map<string, MaskTree | true>>();

/** How many masks of a kind are remembered; a list has one for all its pages. */
const remembered = 100;

/** Paths are snake_case or camelCase (A095), and go into messages, map keys and the elements of lists. */
export function applyReadMask(spec: ResourceSpec, fields: Fields, mask: string | undefined): Fields {
  if (mask === undefined || mask === "" || mask === "*") return fields;
  let masks = parsed.get(spec);
  if (!masks) parsed.set(spec, (masks = new Map()));
  let kept = masks.get(mask);
  if (kept === undefined) {
    kept = parseMask(mask, answeredFields(spec));
    if (masks.size >= remembered) masks.clear();
    masks.set(mask, kept);
  }
  return kept === true ? fields : (pick(fields, kept) as Fields);
}

function parseMask(mask: string, fields: readonly Field[]): MaskTree | true {
  const kept: MaskTree = new Map();
  for (const part of mask.split(",")) {
    const path = part.trim();
    if (path === "*") return true;
    if (path !== "") keep(kept, namesOn(path, fields, mask.indexOf(path) + 1));
  }
  return kept.size === 0 ? true : kept;
}

function namesOn(path: string, fields: readonly Field[], start: number): string[] {
  const names: string[] = [];
  let field: Field | undefined;
  let at = start;
  for (const text of path.split(".")) {
    while (field?.type === "array") field = field.item;
    if (field?.type === "map") {
      names.push(text);
      field = field.item;
    } else {
      const known: readonly Field[] = field ? (field.fields ?? []) : fields;
      field = memberNamed(known, text);
      if (!field) throw new ApiError(400, 3, `invalid read_mask: ${unknownMember(known, { text, at })}`);
      names.push(field.name);
    }
    at += text.length + 1;
  }
  return names;
}

function keep(kept: MaskTree, names: readonly string[]): void {
  let place = kept;
  for (const [index, name] of names.entries()) {
    const there = place.get(name);
    if (there === true) return;
    if (index === names.length - 1) place.set(name, true);
    else if (there) place = there;
    else {
      const deeper: MaskTree = new Map();
      place.set(name, deeper);
      place = deeper;
    }
  }
}

function pick(value: unknown, kept: MaskTree): unknown {
  if (Array.isArray(value)) return value.map((entry) => pick(entry, kept));
  if (typeof value !== "object" || value === null) return value;
  const picked: Fields = {};
  for (const [name, deeper] of kept) {
    if (!Object.hasOwn(value, name)) continue;
    const member = (value as Fields)[name];
    picked[name] = deeper === true ? member : pick(member, deeper);
  }
  return picked;
}
