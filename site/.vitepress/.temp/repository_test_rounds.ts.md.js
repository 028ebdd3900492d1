import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"rounds.ts","description":"","frontmatter":{"search":false,"prev":false,"next":false},"headers":[],"relativePath":"repository/test/rounds.ts.md","filePath":"repository/test/rounds.ts.md"}');
const _sfc_main = { name: "repository/test/rounds.ts.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="roundsts" tabindex="-1">rounds.ts <a class="header-anchor" href="#roundsts" aria-label="Permalink to &quot;rounds.ts&quot;">​</a></h1><p><code>test/rounds.ts</code> of the repository.</p><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#66707B;--shiki-dark:#BDC4CC;">/**</span></span>
<span class="line"><span style="--shiki-light:#66707B;--shiki-dark:#BDC4CC;"> * How often a test repeats what it does: \`most\` where \`THOROUGH\` is set, as in \`.ci/run\`, and \`briefly\` elsewhere. \`npm test\` has</span></span>
<span class="line"><span style="--shiki-light:#66707B;--shiki-dark:#BDC4CC;"> * to find a mistake soon, and \`.ci/run\` the rare ones, too.</span></span>
<span class="line"><span style="--shiki-light:#66707B;--shiki-dark:#BDC4CC;"> *</span></span>
<span class="line"><span style="--shiki-light:#66707B;--shiki-dark:#BDC4CC;"> * </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">@param</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> briefly</span><span style="--shiki-light:#66707B;--shiki-dark:#BDC4CC;"> Default: a tenth of \`most\`.</span></span>
<span class="line"><span style="--shiki-light:#66707B;--shiki-dark:#BDC4CC;"> */</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">export</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> function</span><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;"> rounds</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">most</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> number</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">briefly</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> number</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> Math.</span><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">ceil</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(most </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">/</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> 10</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">))</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> number</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> {</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  return</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> process.env[</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&#39;THOROUGH&#39;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">] </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">?</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> most </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> briefly</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">}</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("repository/test/rounds.ts.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const rounds_ts = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  rounds_ts as default
};
