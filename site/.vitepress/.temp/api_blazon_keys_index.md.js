import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"blazon/keys","description":"","frontmatter":{"prev":false,"next":false},"headers":[],"relativePath":"api/blazon/keys/index.md","filePath":"api/blazon/keys/index.md"}');
const _sfc_main = { name: "api/blazon/keys/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="blazonkeys" tabindex="-1">blazon/keys <a class="header-anchor" href="#blazonkeys" aria-label="Permalink to &quot;blazon/keys&quot;">​</a></h1><p>API keys: a guard for callers that are programs, and the making of keys.</p><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/ApiKeyGuard.html">ApiKeyGuard</a></li><li><a href="./interfaces/ApiKeyRecord.html">ApiKeyRecord</a></li><li><a href="./interfaces/ApiKeysOptions.html">ApiKeysOptions</a></li><li><a href="./interfaces/ApiKeyUser.html">ApiKeyUser</a></li><li><a href="./interfaces/GenerateApiKeyOptions.html">GenerateApiKeyOptions</a></li><li><a href="./interfaces/GeneratedApiKey.html">GeneratedApiKey</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/apiKeys.html">apiKeys</a></li><li><a href="./functions/generateApiKey.html">generateApiKey</a></li><li><a href="./functions/hashApiKey.html">hashApiKey</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/blazon/keys/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
