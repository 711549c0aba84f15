package main

import (
	"pulumi-modelplatform/sdk/go/modelplatform"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
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
