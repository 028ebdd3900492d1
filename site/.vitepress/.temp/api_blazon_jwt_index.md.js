import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"blazon/jwt","description":"","frontmatter":{"prev":false,"next":false},"headers":[],"relativePath":"api/blazon/jwt/index.md","filePath":"api/blazon/jwt/index.md"}');
const _sfc_main = { name: "api/blazon/jwt/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="blazonjwt" tabindex="-1">blazon/jwt <a class="header-anchor" href="#blazonjwt" aria-label="Permalink to &quot;blazon/jwt&quot;">​</a></h1><p>JSON Web Tokens as credentials: a guard that verifies them, for issuers with public keys and for secrets.</p><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/JwtClaims.html">JwtClaims</a></li><li><a href="./interfaces/JwtGuard.html">JwtGuard</a></li><li><a href="./interfaces/JwtIdentity.html">JwtIdentity</a></li><li><a href="./interfaces/JwtJwk.html">JwtJwk</a></li><li><a href="./interfaces/JwtMetadataOptions.html">JwtMetadataOptions</a></li><li><a href="./interfaces/JwtOptions.html">JwtOptions</a></li><li><a href="./interfaces/JwtPem.html">JwtPem</a></li><li><a href="./interfaces/JwtSecret.html">JwtSecret</a></li><li><a href="./interfaces/TestTokenOptions.html">TestTokenOptions</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/JwtAlgorithm.html">JwtAlgorithm</a></li><li><a href="./type-aliases/JwtFetch.html">JwtFetch</a></li><li><a href="./type-aliases/JwtKey.html">JwtKey</a></li><li><a href="./type-aliases/JwtKeys.html">JwtKeys</a></li><li><a href="./type-aliases/JwtUser.html">JwtUser</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/jwt.html">jwt</a></li><li><a href="./functions/jwtMetadata.html">jwtMetadata</a></li><li><a href="./functions/signTestToken.html">signTestToken</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/blazon/jwt/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
