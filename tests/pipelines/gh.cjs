// Stands in for GitHub's `gh` in what the pipelines use of it; comments and issues lie in the file FORGE.
const { readFileSync, writeFileSync } = require("node:fs");
const { parse } = require("../stand-ins/arguments.cjs");

const forge = JSON.parse(readFileSync(process.env.FORGE, "utf8"));
const { command, flags, args: rest } = parse(require("../stand-ins/gh-commands.cjs"), process.argv.slice(2));
const [topic, action] = command.split(" ");
const flag = (name) => flags[name];
const only = (value, ...known) => {
  if (!known.includes(value)) throw new Error(`gh ${process.argv.slice(2).join(" ")} is not known here`);
};

/** The token says what it may do. */
const permissions = JSON.parse(Buffer.from(process.env.GH_TOKEN, "base64url").toString());
const may = (...needed) => {
  if (!needed.some((each) => permissions[each] === "write")) throw new Error(`gh ${topic}: the token may not do that`);
};

/** The forge refuses longer ones with 422. */
const longestBody = 65_536;
const body = () => {
  const text = readFileSync(flag("--field").replace("body=@", ""), "utf8");
  if (text.length > longestBody) throw new Error("gh: Validation Failed (HTTP 422): body is too long");
  return text;
};
/** Comments on a page, where nobody asks for all pages. */
const perPage = 30;
const author = ({ user: { login } = { login: "github-actions[bot]" } }) => login;
const open = () => forge.issues.filter(({ state }) => state === "open");
const issue = (number) => forge.issues.find((each) => String(each.number) === number);

const commands = {
  // The two queries that are asked: the id of each comment that starts with the marker, and the text of one.
  api() {
    const [method, path] = [flag("--method") ?? "GET", rest[0]];
    only(method, "GET", "POST", "PATCH");
    const one = forge.comments.find(({ id }) => path.endsWith(`/comments/${id}`));
    if (method === "GET" && one) console.log(one.body.trimEnd());
    if (method === "GET" && !one)
      console.log(
        forge.comments
          .slice(0, flag("--paginate") === undefined ? perPage : undefined)
          .filter((each) => author(each) === /login == "(.*?)"/.exec(flag("--jq"))?.[1])
          .filter((each) => each.body.startsWith(/startswith\("(.*)"\)/.exec(flag("--jq"))[1]))
          .map(({ id }) => id)
          .join("\n"),
      );
    may("pull-requests");
    if (method !== "GET") forge.sent = (forge.sent ?? 0) + 1;
    if (method === "POST") forge.comments.push({ id: forge.comments.length + 1, body: body() });
    if (method === "PATCH") one.body = body();
  },
  pr() {
    only(action, "list", "create", "edit", "close");
    may("pull-requests");
    const pulls = (forge.pulls ??= []);
    const pull = pulls.find(({ number }) => String(number) === rest[0]);
    const text = () => readFileSync(flag("--body-file"), "utf8");
    if (action === "list")
      console.log(pulls.find(({ state, branch }) => state === "open" && branch === flag("--head"))?.number ?? "");
    if (action === "create")
      pulls.push({ number: pulls.length + 1, state: "open", branch: flag("--head"), body: text() });
    if (action === "edit") pull.body = text();
    if (action === "close") pull.state = "closed";
  },
  label: () => may("issues") ?? only(action, "create"),
  issue() {
    only(action, "list", "create", "edit", "close");
    may("issues");
    if (action === "list") console.log(open()[0]?.number ?? "");
    if (action === "create")
      forge.issues.push({
        number: forge.issues.length + 1,
        state: "open",
        body: readFileSync(flag("--body-file"), "utf8"),
      });
    if (action === "edit") issue(rest[0]).body = readFileSync(flag("--body-file"), "utf8");
    if (action === "close") issue(rest[0]).state = "closed";
  },
};

only(topic, ...Object.keys(commands));
commands[topic]();
writeFileSync(process.env.FORGE, JSON.stringify(forge));
