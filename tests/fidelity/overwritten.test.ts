import { ForeignSite } from "./foreign-site";

/** Whole commands at a service whose creates overwrite what another team has just made. */

jest.setTimeout(300_000);

test("`up` fails before it sends a create, and `destroy` leaves what exists", async () => {
  const site = await ForeignSite.open({ overwrites: true });
  const name = "accounts/acme/users/ada";
  const now = new Date().toISOString();
  const theirs = { name, email: "ada@theirs.example", role: "admin", state: "READY", createTime: now, updateTime: now };
  site.service.objects.set(name, theirs);
  try {
    site.declare({ ada: { kind: "User", userId: "ada", email: "ada@example.com", role: "user" } });
    const { output } = await site.looks(1, "up --yes --skip-preview --stack dev");
    expect(output.replace(/\s+/g, " ")).toContain(
      `${name} already exists, and nothing shows that this declaration created it`,
    );
    await site.looks(0, "destroy --yes --skip-preview --stack dev");
    expect(site.service.objects.get(name)).toEqual(theirs);
  } finally {
    site.close();
  }
});
