import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"blazon/typeorm","description":"","frontmatter":{"prev":false,"next":false},"headers":[],"relativePath":"api/blazon/typeorm/index.md","filePath":"api/blazon/typeorm/index.md"}');
const _sfc_main = { name: "api/blazon/typeorm/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="blazontypeorm" tabindex="-1">blazon/typeorm <a class="header-anchor" href="#blazontypeorm" aria-label="Permalink to &quot;blazon/typeorm&quot;">​</a></h1><p>TypeORM as a plugin: data sources and repositories as tokens.</p><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/EntityLike.html">EntityLike</a></li><li><a href="./type-aliases/TypeOrmOptions.html">TypeOrmOptions</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/dataSourceOf.html">dataSourceOf</a></li><li><a href="./functions/readPage.html">readPage</a></li><li><a href="./functions/repositoryOf.html">repositoryOf</a></li><li><a href="./functions/typeorm.html">typeorm</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/blazon/typeorm/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
