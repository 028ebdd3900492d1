import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"blazon/redis","description":"","frontmatter":{"prev":false,"next":false},"headers":[],"relativePath":"api/blazon/redis/index.md","filePath":"api/blazon/redis/index.md"}');
const _sfc_main = { name: "api/blazon/redis/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="blazonredis" tabindex="-1">blazon/redis <a class="header-anchor" href="#blazonredis" aria-label="Permalink to &quot;blazon/redis&quot;">​</a></h1><p>Caches, rate limits and sessions in Redis, which several processes share.</p><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/RedisClient.html">RedisClient</a></li><li><a href="./interfaces/RedisCluster.html">RedisCluster</a></li><li><a href="./interfaces/RedisClusterOptions.html">RedisClusterOptions</a></li><li><a href="./interfaces/RedisLimitsOptions.html">RedisLimitsOptions</a></li><li><a href="./interfaces/RedisOptions.html">RedisOptions</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/redisCache.html">redisCache</a></li><li><a href="./functions/redisLimits.html">redisLimits</a></li><li><a href="./functions/redisSessions.html">redisSessions</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/blazon/redis/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
