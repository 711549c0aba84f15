import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Import, imports, importsIn, isLocal, resolved } from "./imports";
import { rooms, root } from "./rooms";

interface Border {
  /** Rooms that it may import, or the part of one that is meant. */
  imports: readonly string[];
  /** What other rooms may import of it. */
  doors: readonly string[];
}

const everything = rooms.filter((room) => room !== "tools");

/** The picture of `docs/architecture.md`: these arrows, and no others. */
const borders: Readonly<Record<string, Border>> = {
  io: { imports: [], doors: ["io"] },
  protocol: { imports: [], doors: ["protocol"] },
  provider: {
    imports: ["io", "protocol"],
    doors: ["core", "resources", "kinds", "api", "lifecycle", "pulumi", "plugin"].map((folder) => `provider/${folder}`),
  },
  filters: { imports: ["provider/core"], doors: ["filters"] },
  engine: { imports: ["io", "protocol"], doors: ["engine"] },
  emulator: {
    imports: ["io", "provider/core", "provider/resources", "filters"],
    doors: ["emulator/index", "emulator/answering"],
  },
  governance: { imports: ["io", "provider"], doors: ["governance/cost", "governance/policies", "governance/review"] },
  drift: { imports: ["io", "provider", "governance", "filters", "engine/state/index"], doors: ["drift"] },
  cli: { imports: everything, doors: ["cli/checkout", "cli/tour"] },
  tools: { imports: everything, doors: [] },
};

const roomOf = (path: string): string => path.split("/")[0]!;
const isPartOf = (path: string, part: string): boolean => path === part || path.startsWith(`${part}/`);

/** The rule that an import across a border breaks, with both rooms. */
function objectionTo(entry: Import): string | undefined {
  const [from, path] = [roomOf(entry.file), resolved(entry)];
  const to = roomOf(path);
  if (from === to) return undefined;
  const asked = `${entry.file} imports ${path}`;
  const may = borders[from]!.imports;
  if (!may.some((part) => isPartOf(path, part)))
    return `${asked}: ${from} may not import ${to}, but ${may.join(", ") || "nothing"}`;
  const { doors } = borders[to]!;
  if (!doors.some((door) => isPartOf(path, door)))
    return `${asked}: ${from} may import of ${to} no more than ${doors.join(", ") || "nothing"}`;
  return undefined;
}

test("every room has its borders", () => {
  expect(Object.keys(borders).sort()).toEqual([...rooms].sort());
});

test("rooms import each other along the arrows, through their doors", () => {
  expect(imports.filter(isLocal).flatMap((entry) => objectionTo(entry) ?? [])).toEqual([]);
});

test.each([
  ["engine/stack.ts", "../provider/core/errors", "engine may not import provider, but io, protocol"],
  ["io/text/markup.ts", "../../protocol/properties", "io may not import protocol, but nothing"],
  ["emulator/app.ts", "../provider/api/client", "emulator may not import provider, but io, provider/core, provider/re"],
  ["drift/scan/scan.ts", "../../engine/state/lock", "drift may not import engine, but io, provider, governance, fil"],
  ["cli/program.ts", "../provider/sdk/index", "cli may import of provider no more than provider/core, provider/"],
  ["cli/program.ts", "../tools/generate", "cli may not import tools, but "],
])("%s importing %s breaks a rule", (file, target, rule) => {
  expect(importsIn(file, `import { x } from "${target}";`).map(objectionTo)).toEqual([expect.stringContaining(rule)]);
});

describe.each(rooms)("the page of %s", (room) => {
  const page = readFileSync(join(root, room, "README.md"), "utf8");

  test("has at most 30 lines", () => {
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(30);
  });

  test("names what the room imports, what others import of it, and where to begin", () => {
    const { imports: may, doors } = borders[room]!;
    const named = may.length === everything.length ? [] : may;
    const below = doors.map((door) => door.slice(room.length + 1)).filter((door) => door !== "");
    expect([...named, ...below].filter((name) => !page.includes(lastPart(name)))).toEqual([]);
    expect(page).toMatch(/^\*\*Imports\*\* .*\n(?:.*\n)*\n\*\*Others import\*\* (?:.*\n)*\n?\*\*Begin\*\* at /m);
  });
});

/** `provider/core` may stand as `core` on the page, after `provider`. */
const lastPart = (name: string): string => `\`${name.startsWith("engine/") ? name : name.split("/").at(-1)}`;
