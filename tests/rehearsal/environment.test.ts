import { strangerEnvironment } from "../../tools/rehearsal/sandbox";

const env = {
  PATH: "/repo/node_modules/.bin:/usr/bin",
  HOME: "/home/maintainer",
  LANG: "en_US.UTF-8",
  HTTPS_PROXY: "http://proxy:3128",
  NO_PROXY: "intranet",
  NODE_EXTRA_CA_CERTS: "/ca.pem",
  NODE_AUTH_TOKEN: "token",
  GH_TOKEN: "token",
  npm_config_userconfig: "/home/maintainer/.npmrc",
  npm_config_registry: "http://registry",
  PIP_EXTRA_INDEX_URL: "http://index",
  PULUMI_ACCESS_TOKEN: "token",
  MODELPLATFORM_API_KEY: "key",
  XDG_CONFIG_HOME: "/home/maintainer/.config",
  GOFLAGS: "-mod=vendor",
};

test("a stranger has the network and the language of this machine, and nothing else", () => {
  expect(strangerEnvironment(env, "/empty")).toEqual({
    PATH: "/usr/bin",
    HOME: "/empty",
    USERPROFILE: "/empty",
    PULUMI_HOME: "/empty/.pulumi",
    LANG: "en_US.UTF-8",
    HTTPS_PROXY: "http://proxy:3128",
    NO_PROXY: "intranet,127.0.0.1,localhost",
    no_proxy: "intranet,127.0.0.1,localhost",
    NODE_EXTRA_CA_CERTS: "/ca.pem",
  });
});

test("a proxy is never asked for the registries of this machine", () => {
  expect(strangerEnvironment({ no_proxy: "intranet" }, "/empty")["NO_PROXY"]).toBe("intranet,127.0.0.1,localhost");
  expect(strangerEnvironment({}, "/empty")["no_proxy"]).toBe("127.0.0.1,localhost");
});
