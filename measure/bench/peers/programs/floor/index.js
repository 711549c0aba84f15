// As many resources of a provider that answers at once, without a request: what is left is the engine's own time.
const pulumi = require("@pulumi/pulumi");

const { count, edit } = JSON.parse(process.env.PEERS);

const provider = {
  async create(props) {
    return { id: `id-${props.index}`, outs: props };
  },
  async read(id, props) {
    return { id, props };
  },
  async diff(_id, olds, news) {
    return { changes: olds.edit !== news.edit };
  },
  async update(_id, _olds, news) {
    return { outs: news };
  },
  async delete() {},
};

class Thing extends pulumi.dynamic.Resource {}

for (let index = 0; index < count; index++) new Thing(provider, `r${index}`, { index, edit });
