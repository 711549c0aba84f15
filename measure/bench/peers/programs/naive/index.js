// What one writes in an hour: a dynamic provider that sends a request, looks every second until the object is ready,
// and waits as long as a refusal asks for.
const pulumi = require("@pulumi/pulumi");

const { kind, count, edit } = JSON.parse(process.env.PEERS);
const { MODELPLATFORM_BASE_URL: base, MODELPLATFORM_API_KEY: key } = process.env;

const provider = {
  async call(method, path, body) {
    for (;;) {
      const answer = await fetch(base + path, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (answer.status !== 429) return answer.ok ? await answer.json() : { error: answer.status };
      const pause = Number(answer.headers.get("retry-after") ?? 1) * 1000;
      await new Promise((done) => setTimeout(done, pause));
    }
  },
  async ready(name) {
    for (;;) {
      const object = await this.call("GET", `/v1/${name}`);
      if (object.error || object.state === "READY" || object.state === "FAILED") return object;
      await new Promise((done) => setTimeout(done, 1000));
    }
  },
  async create({ collection, query, message }) {
    const { name, error } = await this.call("POST", `/v1/accounts/demo/${collection}?${query}`, message);
    if (error) throw new Error(`create answered ${error}`);
    return { id: name, outs: { collection, query, message, live: await this.ready(name) } };
  },
  async read(id, props) {
    const live = await this.call("GET", `/v1/${id}`);
    return live.error ? {} : { id, props: { ...props, live } };
  },
  async diff(_id, olds, news) {
    return { changes: JSON.stringify(olds.message) !== JSON.stringify(news.message) };
  },
  async update(id, _olds, news) {
    const { error } = await this.call("PATCH", `/v1/${id}?updateMask=display_name`, news.message);
    if (error) throw new Error(`update answered ${error}`);
    return { outs: { ...news, live: await this.ready(id) } };
  },
  async delete(id) {
    await this.call("DELETE", `/v1/${id}`);
  },
};

class Thing extends pulumi.dynamic.Resource {}

const { collection, query, message } = require("../objects")[kind];
for (let index = 0; index < count; index++)
  new Thing(provider, `r${index}`, { live: undefined, collection, query: query(index), message: message(index, edit) });
