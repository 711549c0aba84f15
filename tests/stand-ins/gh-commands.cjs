// What `gh` takes: the flags of the manual, for the commands that the workflows and pages use. tests/README.md says
// where they were checked.
const many = Number.POSITIVE_INFINITY;
const [flag, text, file] = ["switch", "text", "file"];

const repo = { "--repo": text, "-R": "--repo" };
const json = { "--json": text, "--jq": text, "-q": "--jq", "--template": text, "-t": "--template" };
const body = { "--body": text, "-b": "--body", "--body-file": file, "-F": "--body-file" };
const title = { "--title": text, "-t": "--title" };
const notes = { "--notes": text, "-n": "--notes", "--notes-file": file, "-F": "--notes-file" };
const web = { "--web": flag, "-w": "--web" };
const lists = {
  ...{ ...repo, ...json, ...web, "--limit": text, "-L": "--limit", "--state": text, "-s": "--state" },
  ...{ "--label": text, "-l": "--label", "--author": text, "-A": "--author", "--app": text },
  ...{ "--assignee": text, "-a": "--assignee", "--search": text, "-S": "--search" },
};
const people = {
  ...{ "--assignee": text, "-a": "--assignee", "--label": text, "-l": "--label", "--project": text, "-p": "--project" },
  ...{ "--milestone": text, "-m": "--milestone", "--recover": text, "--template": file, "-T": "--template" },
  ...{ "--editor": flag, "-e": "--editor" },
};
const edits = {
  ...{ "--add-assignee": text, "--remove-assignee": text, "--add-label": text, "--remove-label": text },
  ...{ "--add-project": text, "--remove-project": text, "--milestone": text, "-m": "--milestone" },
  "--remove-milestone": flag,
};
const release = {
  ...{ ...repo, ...title, ...notes, "--prerelease": flag, "--target": text, "--latest": flag, "--draft": flag },
  ...{ "--verify-tag": flag, "--discussion-category": text },
};

module.exports = {
  "release view": { flags: { ...repo, ...json, ...web }, args: [0, 1] },
  "release create": {
    flags: {
      ...{ ...release, "-d": "--draft", "-p": "--prerelease", "--generate-notes": flag, "--notes-start-tag": text },
      ...{ "--notes-from-tag": flag, "--fail-on-no-commits": flag },
    },
    ...{ args: [0, many], filesFrom: 1 },
  },
  "release upload": { flags: { ...repo, "--clobber": flag }, args: [2, many], filesFrom: 1 },
  "release edit": { flags: { ...release, "--tag": text }, args: [1, 1] },
  "release download": {
    flags: {
      ...{ ...repo, "--dir": text, "-D": "--dir", "--output": text, "-O": "--output", "--pattern": text },
      ...{ "-p": "--pattern", "--archive": text, "-A": "--archive", "--clobber": flag, "--skip-existing": flag },
    },
    args: [0, 1],
  },
  "pr list": {
    flags: {
      ...lists,
      "--base": text,
      "-B": "--base",
      "--head": text,
      "-H": "--head",
      "--draft": flag,
      "-d": "--draft",
    },
    args: [0, 0],
  },
  "pr create": {
    flags: {
      ...{
        ...repo,
        ...title,
        ...body,
        ...web,
        ...people,
        "--base": text,
        "-B": "--base",
        "--head": text,
        "-H": "--head",
      },
      ...{ "--draft": flag, "-d": "--draft", "--dry-run": flag, "--fill": flag, "-f": "--fill", "--fill-first": flag },
      ...{ "--fill-verbose": flag, "--no-maintainer-edit": flag, "--reviewer": text, "-r": "--reviewer" },
    },
    args: [0, 0],
  },
  "pr edit": {
    flags: {
      ...{ ...repo, ...title, ...body, ...edits, "--base": text, "-B": "--base" },
      ...{ "--add-reviewer": text, "--remove-reviewer": text },
    },
    args: [0, 1],
  },
  "pr close": {
    flags: { ...repo, "--comment": text, "-c": "--comment", "--delete-branch": flag, "-d": "--delete-branch" },
    args: [1, 1],
  },
  "issue list": { flags: { ...lists, "--mention": text, "--milestone": text, "-m": "--milestone" }, args: [0, 0] },
  "issue create": { flags: { ...repo, ...title, ...body, ...web, ...people }, args: [0, 0] },
  "issue edit": { flags: { ...repo, ...title, ...body, ...edits }, args: [1, many] },
  "issue close": {
    flags: { ...repo, "--comment": text, "-c": "--comment", "--reason": text, "-r": "--reason" },
    args: [1, 1],
  },
  "label create": {
    flags: {
      ...{ ...repo, "--color": text, "-c": "--color", "--description": text, "-d": "--description" },
      ...{ "--force": flag, "-f": "--force" },
    },
    args: [1, 1],
  },
  api: {
    flags: {
      ...{ "--hostname": text, "--method": text, "-X": "--method", "--field": text, "-F": "--field" },
      ...{ "--raw-field": text, "-f": "--raw-field", "--header": text, "-H": "--header", "--preview": text },
      ...{ "-p": "--preview", "--include": flag, "-i": "--include", "--slurp": flag, "--paginate": flag },
      ...{ "--input": file, "--silent": flag, "--template": text, "-t": "--template", "--jq": text, "-q": "--jq" },
      ...{ "--cache": text, "--verbose": flag },
    },
    args: [1, 1],
  },
  "variable set": {
    flags: {
      ...{ ...repo, "--org": text, "-o": "--org", "--env": text, "-e": "--env", "--visibility": text },
      ...{ "-v": "--visibility", "--repos": text, "-r": "--repos", "--body": text, "-b": "--body" },
      ...{ "--env-file": file, "-f": "--env-file", "--no-repos-selected": flag },
    },
    args: [0, 1],
  },
  "workflow run": {
    flags: {
      ...{ ...repo, "--ref": text, "-r": "--ref", "--field": text, "-F": "--field", "--raw-field": text },
      ...{ "-f": "--raw-field", "--json": flag },
    },
    args: [0, 1],
  },
  "run rerun": {
    flags: { ...repo, "--failed": flag, "--job": text, "-j": "--job", "--debug": flag, "-d": "--debug" },
    args: [0, 1],
  },
  "attestation verify": {
    flags: {
      ...{ "--bundle": file, "-b": "--bundle", "--bundle-from-oci": flag, "--digest-alg": text, "-d": "--digest-alg" },
      ...{ "--owner": text, "-o": "--owner", "--repo": text, "-R": "--repo", "--predicate-type": text },
      ...{ "--no-public-good": flag, "--custom-trusted-root": file, "--limit": text, "-L": "--limit" },
      ...{ "--format": text, "--jq": text, "-q": "--jq", "--template": text, "-t": "--template" },
      ...{ "--deny-self-hosted-runners": flag, "--cert-identity": text, "--cert-identity-regex": text },
      ...{ "-i": "--cert-identity-regex", "--signer-repo": text, "--signer-workflow": text },
      ...{ "--cert-oidc-issuer": text, "--hostname": text },
    },
    args: [1, 1],
  },
};
