# The same objects by a generic REST provider. It does not wait until they are ready.
terraform {
  required_providers {
    restapi = { source = "Mastercard/restapi" }
  }
}

variable "url" { type = string }
variable "key" { type = string }
variable "kind" { type = string }
variable "number" { type = number }
variable "edit" { type = number }

locals {
  parts = {
    User       = { collection = "users", id = "userId", prefix = "u" }
    Deployment = { collection = "deployments", id = "deploymentId", prefix = "d" }
  }
  kind   = local.parts[var.kind]
  folder = "/v1/accounts/demo/${local.kind.collection}"
}

provider "restapi" {
  uri                  = var.url
  headers              = { Authorization = "Bearer ${var.key}", Content-Type = "application/json" }
  write_returns_object = true
  update_method        = "PATCH"
  id_attribute         = "name"
}

resource "restapi_object" "object" {
  count                   = var.number
  path                    = local.folder
  create_path             = "${local.folder}?${local.kind.id}=${local.kind.prefix}${count.index}"
  read_path               = "${local.folder}/${local.kind.prefix}${count.index}"
  update_path             = "${local.folder}/${local.kind.prefix}${count.index}?updateMask=display_name"
  destroy_path            = "${local.folder}/${local.kind.prefix}${count.index}"
  ignore_server_additions = true
  data = jsonencode(var.kind == "User" ? {
    email = "user-${count.index}@example.com", role = "user", displayName = "edit ${var.edit}"
    } : {
    baseModel = "accounts/platform/models/open-8b", deploymentShape = "default", displayName = "edit ${var.edit}"
  })
}
