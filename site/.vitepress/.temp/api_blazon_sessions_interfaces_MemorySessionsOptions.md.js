import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"MemorySessionsOptions","description":"","frontmatter":{"prev":false,"next":false},"headers":[],"relativePath":"api/blazon/sessions/interfaces/MemorySessionsOptions.md","filePath":"api/blazon/sessions/interfaces/MemorySessionsOptions.md"}');
const _sfc_main = { name: "api/blazon/sessions/interfaces/MemorySessionsOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="memorysessionsoptions" tabindex="-1">MemorySessionsOptions <a class="header-anchor" href="#memorysessionsoptions" aria-label="Permalink to &quot;MemorySessionsOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">import</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> type</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> { MemorySessionsOptions } </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">from</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &#39;blazon/sessions&#39;</span></span></code></pre></div><p>Options of <code>memorySessions</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="maxsessions" tabindex="-1">maxSessions? <a class="header-anchor" href="#maxsessions" aria-label="Permalink to &quot;maxSessions?&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly maxSessions</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">?:</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> number;</span></span></code></pre></div><p>The largest number of sessions at the same time. Default 10,000.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/blazon/sessions/interfaces/MemorySessionsOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const MemorySessionsOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  MemorySessionsOptions as default
};
