import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"CurrentUser()","description":"","frontmatter":{"prev":false,"next":false},"headers":[],"relativePath":"api/blazon/functions/CurrentUser.md","filePath":"api/blazon/functions/CurrentUser.md"}');
const _sfc_main = { name: "api/blazon/functions/CurrentUser.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="currentuser" tabindex="-1">CurrentUser() <a class="header-anchor" href="#currentuser" aria-label="Permalink to &quot;CurrentUser()&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">import</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> { CurrentUser } </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">from</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &#39;blazon&#39;</span></span></code></pre></div><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">function</span><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;"> CurrentUser</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">()</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> UserDecorator</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Passes <code>req.user</code> to a handler parameter (legacy dialect). The type of the parameter is <code>User</code>, a type that has more fields, or a wider type; on a route that is not protected, also <code>undefined</code>. Any other type is a compile error.</p><h2 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h2><p><code>UserDecorator</code></p><h2 id="example" tabindex="-1">Example <a class="header-anchor" href="#example" aria-label="Permalink to &quot;Example&quot;">​</a></h2><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">me</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(@</span><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">CurrentUser</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">() user: User) { </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">return</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> user }</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/blazon/functions/CurrentUser.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CurrentUser = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CurrentUser as default
};
