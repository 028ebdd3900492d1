import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"DrizzleColumn<T>","description":"","frontmatter":{"prev":false,"next":false},"headers":[],"relativePath":"api/blazon/postgres/interfaces/DrizzleColumn.md","filePath":"api/blazon/postgres/interfaces/DrizzleColumn.md"}');
const _sfc_main = { name: "api/blazon/postgres/interfaces/DrizzleColumn.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="drizzlecolumnt" tabindex="-1">DrizzleColumn&lt;T&gt; <a class="header-anchor" href="#drizzlecolumnt" aria-label="Permalink to &quot;DrizzleColumn\\&lt;T\\&gt;&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">import</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> type</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> { DrizzleColumn } </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">from</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &#39;blazon/postgres&#39;</span></span></code></pre></div><p>A column of Drizzle, or an expression of its <code>sql</code>. <code>T</code> is the class <code>SQL</code> of Drizzle.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr><th>Type Parameter</th></tr></thead><tbody><tr><td><a id="type-parameter-t"></a> <code>T</code></td></tr></tbody></table></div><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="getsql" tabindex="-1">getSQL() <a class="header-anchor" href="#getsql" aria-label="Permalink to &quot;getSQL()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">getSQL</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(): </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">T</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Returns the expression.</p><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>T</code></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/blazon/postgres/interfaces/DrizzleColumn.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const DrizzleColumn = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  DrizzleColumn as default
};
