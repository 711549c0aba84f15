import { join } from "node:path";
import { manifest } from "../../io/files/package";
import { goModule } from "../publisher";
import type { ArchiveServer } from "./archive-server";
import type { RehearsalService } from "./emulator";
import type { GoOrigin } from "./go-origin";
import { lifeCycle, playLifeCycle } from "./life-cycle";
import { installPlugin } from "./plugin";
import { sizeOf } from "./registry";
import type { Installation } from "./report";
import type { Sandbox } from "./sandbox";
import type { Steps } from "./steps";

const program = `package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"${goModule}/modelplatform"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		ada, err := modelplatform.NewUser(ctx, "ada", &modelplatform.UserArgs{
			Email: pulumi.String("ada@example.com"),
			Role:  modelplatform.UserRoleContributor,
		})
		if err != nil {
			return err
		}
		ctx.Export("ada", ada.Name)
		return nil
	})
}
`;

/** Gets the Go module in an empty folder, and runs a program with it on the Pulumi CLI. */
export async function rehearseGo(
  sandbox: Sandbox,
  steps: Steps,
  { go, archives, service }: { go: GoOrigin; archives: ArchiveServer; service: RehearsalService },
): Promise<Installation> {
  const cwd = sandbox.newFolder("go-user", "program");
  const user = { cwd, env: { ...sandbox.home("go-user"), ...go.go, ...service.env } };
  const requirement = `${goModule}@v${manifest().version}`;
  sandbox.write("name: people\nruntime: go\n", "go-user", "program", "Pulumi.yaml");
  sandbox.write(program, "go-user", "program", "main.go");
  const install = await steps.during(`getting ${requirement} by Go, and the plugin`, async () => {
    await sandbox.run("go", ["mod", "init", "people"], user);
    await sandbox.run("go", ["get", requirement], user);
    await sandbox.run("go", ["mod", "tidy"], user);
    await installPlugin(sandbox, user, archives);
  });
  const life = await steps.during("running a program in Go, whose first compile takes minutes", () =>
    playLifeCycle((...args) => sandbox.run("pulumi", args, user), service),
  );
  return {
    what: `go get ${requirement}`,
    bytes: sizeOf(join(user.env["HOME"]!, "go")),
    seconds: install.seconds + life.seconds,
    ran: `a program on the Pulumi CLI: ${lifeCycle}`,
  };
}
