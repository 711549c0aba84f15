// The requests of a step, and nothing else: what is left of a step beside an engine and a provider.
const { kind, count } = JSON.parse(process.env.PEERS);
const { MODELPLATFORM_BASE_URL: base, MODELPLATFORM_API_KEY: key } = process.env;
const [command, edit] = process.argv.slice(2);
const { collection, query, message } = require("../objects")[kind];

async function call(method, path, body) {
  const answer = await fetch(`${base}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`);
  return answer.json();
}

const all = `accounts/demo/${collection}`;
const nameOf = (index) => `${all}/${query(index).split("=")[1]}`;
const write = {
  up: (index) =>
    edit === "0"
      ? call("POST", `${all}?${query(index)}`, message(index, 0))
      : call("PATCH", `${nameOf(index)}?updateMask=display_name`, message(index, edit)),
  destroy: (index) => call("DELETE", nameOf(index)),
};

async function main() {
  if (command === "refresh") await call("GET", `${all}?pageSize=200`);
  if (write[command] === undefined) return;
  const indices = Array.from({ length: count }, (_, index) => index);
  const worker = async () => {
    for (let index = indices.shift(); index !== undefined; index = indices.shift()) await write[command](index);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

main();
