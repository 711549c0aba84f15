import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dependsOnFolder, isIn, nameFrom, type PathSystem, realPath } from "../../io/paths";

let root: string;
beforeEach(() => {
  root = realPath(mkdtempSync(join(tmpdir(), "modelplatform-paths-")));
  for (const folder of ["checkout/bin", "checkout-2", "elsewhere/bin"])
    mkdirSync(join(root, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string): string => join(root, path);
const link = (path: string, to: string): void => symlinkSync(to, at(path));

describe("on this system", () => {
  test.each([
    ["checkout", true],
    ["checkout/bin", true],
    ["checkout/not/there", true],
    ["checkout/bin/../../checkout/bin", true],
    ["checkout/bin/../..", false],
    ["checkout-2", false],
    ["elsewhere/bin", false],
    ["", false],
  ])("%j counts as in the folder `checkout`: %s", (path, expected) => {
    expect(isIn(at(path), at("checkout"))).toBe(expected);
  });

  test("a folder behind a link is the folder, in either spelling of the two", () => {
    link("link", "checkout");
    link("second", at("link"));
    for (const one of ["link", "second", "checkout"])
      for (const other of ["link", "second", "checkout"]) expect(isIn(at(`${one}/bin/pulumi`), at(other))).toBe(true);
  });

  test("a link out of the folder ends outside, and leads through it", () => {
    link("checkout/out", "../elsewhere");
    expect(isIn(at("checkout/out/bin"), at("checkout"))).toBe(false);
    expect(dependsOnFolder(at("checkout/out/bin"), at("checkout"))).toBe(true);
    expect(dependsOnFolder(at("elsewhere/bin"), at("checkout"))).toBe(false);
  });

  test("a link from outside to a link in the folder leads through it", () => {
    link("checkout/out", "../elsewhere");
    link("first", "checkout/out");
    expect(dependsOnFolder(at("first/bin"), at("checkout"))).toBe(true);
    expect(isIn(at("first/bin"), at("checkout"))).toBe(false);
  });

  test("`..` after a link leaves the folder that the link leads to", () => {
    link("jump", "checkout/bin");
    expect(realPath(`${at("jump")}/../pulumi`)).toBe(at("checkout/pulumi"));
    expect(isIn(`${at("jump")}/../pulumi`, at("checkout"))).toBe(true);
  });

  test("links that lead in a circle end, and count by their names", () => {
    link("checkout/a", "b");
    link("checkout/b", "a");
    expect(isIn(at("checkout/a/x"), at("checkout"))).toBe(true);
    expect(isIn(at("checkout/a/x"), at("elsewhere"))).toBe(false);
  });

  test("a link to what does not exist ends where it points", () => {
    link("checkout/later", "../elsewhere/later");
    expect(realPath(at("checkout/later/x"))).toBe(at("elsewhere/later/x"));
  });

  test("a relative path starts at the folder of this process", () => {
    const before = process.cwd();
    process.chdir(at("checkout"));
    try {
      expect(isIn("bin/pulumi", at("checkout"))).toBe(true);
      expect(isIn("../elsewhere", ".")).toBe(false);
    } finally {
      process.chdir(before);
    }
  });

  test("a second name of a file is in the folder of that name alone", () => {
    writeFileSync(at("checkout/tool"), "");
    linkSync(at("checkout/tool"), at("elsewhere/tool"));
    expect(isIn(at("elsewhere/tool"), at("checkout"))).toBe(false);
  });

  test("a file is named from a folder with slashes, above it too", () => {
    expect(nameFrom(at("checkout"), at("checkout/bin/pulumi"))).toBe("bin/pulumi");
    expect(nameFrom(at("checkout"), at("elsewhere"))).toBe("../elsewhere");
  });
});

/** A volume with these files and links; `sameName` says which spellings of a name the volume takes for one. */
function volume(paths: readonly string[], links: Readonly<Record<string, string>>, sameName: (name: string) => string) {
  const ids = new Map<string, number>();
  for (const path of [...paths, ...Object.keys(links)]) ids.set(sameName(path), ids.size + 1);
  const targets = new Map(Object.entries(links).map(([path, target]) => [sameName(path), target]));
  const system: PathSystem = {
    stat(path) {
      const id = ids.get(sameName(path));
      return id === undefined ? undefined : { id: `1:${id}`, link: targets.get(sameName(path)) };
    },
  };
  return system;
}

const parents = (path: string): string[] =>
  path.split("/").flatMap((_, index, parts) => (index === 0 ? [] : [parts.slice(0, index + 1).join("/")]));

describe("on a volume that takes either case and both forms of Unicode for one", () => {
  const system = volume(parents("/Users/zoë/Shop/bin"), {}, (name) => name.normalize("NFC").toLowerCase());

  test.each([
    ["/users/ZOË/shop/BIN", true],
    ["/Users/zoe\u0308/Shop/bin/pulumi", true],
    ["/Users/zoë/Shops", false],
    ["/Users/zoë", false],
  ])("%s counts as in the checkout: %s", (path, expected) => {
    expect(isIn(path, "/Users/zoë/Shop", system)).toBe(expected);
    expect(dependsOnFolder(path, "/Users/zoë/Shop", system)).toBe(expected);
  });

  test("a folder in two spellings holds what is named by either", () => {
    expect(isIn("/USERS/zoë/SHOP/bin", "/users/zoe\u0308/shop", system)).toBe(true);
  });
});

describe("on a volume where the case of a name counts", () => {
  const system = volume([...parents("/srv/Shop/bin"), ...parents("/srv/shop/bin")], {}, (name) => name);

  test("a folder of another case is another folder", () => {
    expect(isIn("/srv/shop/bin", "/srv/Shop", system)).toBe(false);
    expect(isIn("/srv/Shop/bin", "/srv/Shop", system)).toBe(true);
  });
});

describe("with the two spellings of a temporary folder", () => {
  const system = volume(
    parents("/private/var/folders/x1/T/run"),
    { "/var": "private/var", "/tmp": "private/tmp" },
    (name) => name.toLowerCase(),
  );

  test.each([
    ["/var/folders/x1/T/run", "/private/var/folders/x1/T"],
    ["/private/var/folders/x1/T/run", "/var/folders/x1/T"],
    ["/var/folders/x1/T/new/file", "/private/var/folders/x1/T"],
    ["/tmp/new", "/private/tmp"],
  ])("%s is in %s", (path, folder) => {
    expect(isIn(path, folder, system)).toBe(true);
  });

  test("the link to it is no way through it", () => {
    expect(dependsOnFolder("/var/folders/x1/T/run", "/private/var/folders/x1/T/other", system)).toBe(false);
    expect(realPath("/var/folders/x1/T", system)).toBe("/private/var/folders/x1/T");
  });
});

test("where files have no numbers, folders count by their real names", () => {
  const system: PathSystem = {
    stat: (path) => ({ id: undefined, link: path === "/shop" ? "/home/ada/shop" : undefined }),
  };
  expect(isIn("/shop/bin", "/home/ada/shop", system)).toBe(true);
  expect(isIn("/home/ada/shops", "/home/ada/shop", system)).toBe(false);
});
