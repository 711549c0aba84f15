"""A policy, a person, a credential, models, training runs and what serves them: an object of every kind."""

import pulumi
import pulumi_modelplatform as modelplatform

config = pulumi.Config()
base = "accounts/platform/models/open-8b"

# What the account allows. It exists once and always, so the program says what a removal does. Retention stays allowed:
# where a scope enforces that nothing is kept, uploads and training runs are refused.
policy = modelplatform.PolicySettings(
    "policy",
    default_permissions={
        "allow_serverless": True,
        "allow_serverless_fast": False,
        "allow_dedicated_deployments": True,
        "allow_training": True,
    },
    zero_data_retention={
        "default_enforced": False,
        "inference": {"enforcement": modelplatform.Enforcement.NOT_ENFORCED},
    },
    on_delete=modelplatform.PolicySettingsOnDelete.CLEAR,
    allow_loosening=True,
)
after_policy = pulumi.ResourceOptions(depends_on=[policy])

# Who may do what.
ada = modelplatform.User(
    "ada",
    email="ada@example.com",
    role=modelplatform.UserRole.CONTRIBUTOR,
    display_name="Ada",
    opts=after_policy,
)

# A credential. Its value is encrypted in state and never read back.
storage = modelplatform.Secret(
    "storage",
    key_name="STORAGE_KEY",
    value=config.get_secret("storageKey") or pulumi.Output.secret("only-for-the-emulator"),
)

# A model on accelerators; the service picks a validated shape.
chat = modelplatform.Deployment(
    "chat",
    base_model=base,
    deployment_shape="default",
    display_name="Chat",
    min_replica_count=1,
    max_replica_count=2,
    annotations={"custom/team": "assistants"},
    autoscaling_policy={"scale_down_window": "15m"},
    opts=after_policy,
)

# Weights of one's own, uploaded.
own = modelplatform.Model(
    "own",
    kind=modelplatform.ModelKind.HUB_PEFT_ADDON,
    display_name="Own weights",
    peft_details={"base_model": base, "r": 8, "target_modules": ["q_proj", "v_proj"]},
    source={"folder": "weights"},
)

# Training runs, whose outcomes are models …
support = modelplatform.SupervisedFineTuningJob(
    "support",
    base_model=base,
    dataset=pulumi.Output.format("accounts/{0}/datasets/support-tickets", policy.account_id),
    epochs=2,
    learning_rate=0.0001,
    cloud_s3_config={"credentials_secret": storage.name},
    opts=after_policy,
)
preferences = modelplatform.RlorTrainerJob(
    "preferences",
    dataset=pulumi.Output.format("accounts/{0}/datasets/preferences", policy.account_id),
    training_config={"base_model": base, "epochs": 1},
    reward_weights=["helpful=1.0"],
    opts=after_policy,
)

# … one of which is loaded onto the deployment.
loaded = modelplatform.DeployedModel(
    "loaded",
    model=preferences.output_model_name,
    deployment=chat.name,
    display_name="Preferences",
)

pulumi.export("chat", chat.name)
pulumi.export("ownModel", own.name)
pulumi.export("supportModel", support.output_model_name)
pulumi.export("loadedModel", loaded.name)
