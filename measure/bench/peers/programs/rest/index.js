// A generic REST resource, as providers for any API have it: a path and a body. It sends what differs between what is
// declared and what is live, leaves alone what only the service sets, and waits for nothing.
const pulumi = require("@pulumi/pulumi");

const { kind, count, edit } = JSON.parse(process.env.PEERS);
const { MODELPLATFORM_BASE_URL: base, MODELPLATFORM_API_KEY: key } = process.env;

const provider = {
  async call(method, path, body) {
    const answer = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`);
    return answer.json();
  },
  /** Of `live`, what `declared` has, too. */
  common(declared, live) {
    if (typeof declared !== "object" || typeof live !== "object" || live === null) return live;
    return Object.fromEntries(Object.keys(declared).map((name) => [name, this.common(declared[name], live[name])]));
  },
  async create({ path, query, body }) {
    const { name } = await this.call("POST", `${path}?${query}`, body);
    return { id: name, outs: { path, query, body } };
  },
  async read(id, props) {
    const live = await this.call("GET", `/v1/${id}`);
    return live ? { id, props: { ...props, body: this.common(props.body, live) } } : {};
  },
  changed(olds, news) {
    const differs = (name) => JSON.stringify(news.body[name]) !== JSON.stringify(olds.body[name]);
    return Object.keys(news.body).filter(differs);
  },
  async diff(_id, olds, news) {
    return { changes: this.changed(olds, news).length > 0 };
  },
  async update(id, olds, news) {
    const fields = this.changed(olds, news);
    const body = Object.fromEntries(fields.map((name) => [name, news.body[name]]));
    await this.call("PATCH", `/v1/${id}?updateMask=${fields.join(",")}`, body);
    return { outs: news };
  },
  async delete(id) {
    await this.call("DELETE", `/v1/${id}`);
  },
};

class RestObject extends pulumi.dynamic.Resource {}

const { collection, query, message } = require("../objects")[kind];
for (let index = 0; index < count; index++)
  new RestObject(provider, `r${index}`, {
    path: `/v1/accounts/demo/${collection}`,
    query: query(index),
    body: message(index, edit),
  });
