// Stands in for `gh` in what this repository's own workflows use of it: one release, whose files are in a folder, and
// pull requests. The folder GH_STATE has both.
const { createHash } = require("node:crypto");
const { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const { main, UsageError } = require("./arguments.cjs");

const folder = process.env.GH_STATE;
const file = join(folder, "state.json");
const state = JSON.parse(readFileSync(file, "utf8"));
const assetsOf = (tag) => join(folder, "assets", tag);

function releaseOf(tag) {
  const release = state.releases[tag];
  if (release === undefined) throw new UsageError("release not found");
  return release;
}

const asset = (path) => ({
  name: basename(path),
  digest: `sha256:${createHash("sha256").update(readFileSync(path)).digest("hex")}`,
});

const run = {
  "release view"({ args: [tag], flags }) {
    const { isDraft } = releaseOf(tag);
    const assets = readdirSync(assetsOf(tag)).map((name) => asset(join(assetsOf(tag), name)));
    const fields = { isDraft, assets, tagName: tag };
    const names = flags["--json"].split(",");
    const unknown = names.find((name) => !(name in fields));
    if (unknown !== undefined) throw new UsageError(`Unknown JSON field: ${JSON.stringify(unknown)}`);
    console.log(JSON.stringify(Object.fromEntries(names.map((name) => [name, fields[name]]))));
  },
  "release create"({ args: [tag], flags }) {
    if (flags["--verify-tag"] && !state.tags.includes(tag))
      throw new UsageError(`tag ${tag} doesn't exist in the repo`);
    if (state.releases[tag] !== undefined) throw new UsageError("a release with the same tag name already exists");
    state.releases[tag] = { isDraft: flags["--draft"] === true };
    mkdirSync(assetsOf(tag), { recursive: true });
  },
  "release upload"({ args: [tag, ...paths], flags }) {
    releaseOf(tag);
    for (const path of paths) {
      const to = join(assetsOf(tag), basename(path));
      if (existsSync(to) && !flags["--clobber"])
        throw new UsageError(`asset under the same name already exists: [${basename(path)}]`);
      copyFileSync(path, to);
    }
  },
  "release download"({ args: [tag], flags }) {
    releaseOf(tag);
    mkdirSync(flags["--dir"], { recursive: true });
    for (const name of readdirSync(assetsOf(tag))) copyFileSync(join(assetsOf(tag), name), join(flags["--dir"], name));
  },
  "release edit"({ args: [tag], flags }) {
    if ("--draft" in flags) releaseOf(tag).isDraft = flags["--draft"];
  },
  "pr list"() {
    console.log(state.pulls.length || "");
  },
  "pr create"({ flags }) {
    state.pulls.push(flags["--title"]);
  },
};

main(require("./gh-commands.cjs"), process.argv.slice(2), (parsed) => {
  if (run[parsed.command] === undefined) throw new UsageError(`nobody stands in for gh ${parsed.command}`);
  const { flags, args } = parsed;
  state.calls.push(["gh", parsed.command, ...args.map((each) => basename(each)), ...Object.keys(flags)].join(" "));
  run[parsed.command](parsed);
  writeFileSync(file, JSON.stringify(state));
});
