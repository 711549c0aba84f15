/**
 * Replaces the serialized provider in every dynamic resource's inputs and outputs. It MUST be the same for
 * every kind and every release, so that an upgrade changes no resource and refresh and destroy run the code that is
 * installed; it MUST NOT exceed 300 bytes, because the state holds it twice per resource and every call carries it.
 */
export const providerText =
  'exports.handler=()=>{try{return require("pulumi-modelplatform/runtime").provider()}catch(e){throw e.code=="MODULE_NOT_FOUND"?Object.assign(Error(e.message.split("\\n")[0]+". Run `npm install pulumi-modelplatform` in "+process.cwd()+" or a folder above it"),{stack:""}):e}}';
