import { onEachEngine, withPackages } from "./engines";
import { chat } from "./everything";
import { LeastSdk } from "./installation";
import { Site } from "./site";

jest.setTimeout(300_000);

const ada = { kind: "User", email: "ada@example.com", role: "user" };

let sdk: LeastSdk;
beforeAll(() => void (sdk = new LeastSdk()));
afterAll(() => sdk.close());

onEachEngine((engine) => {
  let site: Site;
  beforeEach(async () => void (site = await Site.open(withPackages(engine, sdk.packages))));
  afterEach(() => site.close());

  test.each([
    ["dynamic resources", "pulumi-modelplatform"],
    ["resources of the plugin", "pulumi-modelplatform/plugin"],
  ])("%s come up and leave nothing with the least SDK", async (_, from) => {
    await site.up({ from, resources: { ada, chat } });
    expect([site.live("users/").length, site.live("deployments/").length]).toEqual([1, 1]);
    await site.expect(0, "destroy");
    expect([site.live("users/"), site.live("deployments/"), site.resources()]).toEqual([[], [], []]);
  });
});
