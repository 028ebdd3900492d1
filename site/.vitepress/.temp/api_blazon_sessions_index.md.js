import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"blazon/sessions","description":"","frontmatter":{"prev":false,"next":false},"headers":[],"relativePath":"api/blazon/sessions/index.md","filePath":"api/blazon/sessions/index.md"}');
const _sfc_main = { name: "api/blazon/sessions/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="blazonsessions" tabindex="-1">blazon/sessions <a class="header-anchor" href="#blazonsessions" aria-label="Permalink to &quot;blazon/sessions&quot;">​</a></h1><p>Sessions in a cookie: a guard and a plugin, with protection against requests of other sites.</p><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/MemorySessionsOptions.html">MemorySessionsOptions</a></li><li><a href="./interfaces/Session.html">Session</a></li><li><a href="./interfaces/SessionCookieOptions.html">SessionCookieOptions</a></li><li><a href="./interfaces/SessionManager.html">SessionManager</a></li><li><a href="./interfaces/SessionOwner.html">SessionOwner</a></li><li><a href="./interfaces/SessionRow.html">SessionRow</a></li><li><a href="./interfaces/Sessions.html">Sessions</a></li><li><a href="./interfaces/SessionSchema.html">SessionSchema</a></li><li><a href="./interfaces/SessionsOptions.html">SessionsOptions</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/SessionUser.html">SessionUser</a></li></ul><h2 id="variables" tabindex="-1">Variables <a class="header-anchor" href="#variables" aria-label="Permalink to &quot;Variables&quot;">​</a></h2><ul><li><a href="./variables/SetsSession.html">SetsSession</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/memorySessions.html">memorySessions</a></li><li><a href="./functions/sessions.html">sessions</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/blazon/sessions/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
