import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"The room of app.proveIsolation()","description":"","frontmatter":{"search":false,"prev":false,"next":false},"headers":[],"relativePath":"repository/src/testing/isolation/README.md","filePath":"repository/src/testing/isolation/README.md"}');
const _sfc_main = { name: "repository/src/testing/isolation/README.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="the-room-of-appproveisolation" tabindex="-1">The room of <code>app.proveIsolation()</code> <a class="header-anchor" href="#the-room-of-appproveisolation" aria-label="Permalink to &quot;The room of \`app.proveIsolation()\`&quot;">​</a></h1><p><code>prove-isolation.ts</code> is the entry; read <code>runPhases</code> in it first. The proof sends requests of several tenants to the application under test, marks all texts that each tenant sends, and searches for these marks in the data that the other tenants receive.</p><ol><li><code>isolation-options.ts</code> checks the options. <code>isolation-side.ts</code> opens a connection for each tenant: a <em>side</em>.</li><li><code>request-maker.ts</code> makes requests from the document. Wherever the schema allows it, a text contains a <em>canary</em> (<code>canaries.ts</code>): a random text that no other side sends. <code>marked-texts.ts</code> finds the place for it, also in a text with a pattern; <code>marked-values.ts</code> replaces UUIDs, dates and numbers of bodies; <code>refusal-in.ts</code> reads why the application has refused a request.</li><li><code>replay.ts</code> sends the same request for two sides, in turns and at the same time. <code>gate.ts</code> and <code>hold-layers.ts</code> hold requests before the application, in routers, before the handler and before the response, so that the two overlap.</li><li><code>request-foreign-data.ts</code> requests data by ids of another tenant (<code>records.ts</code> stores the ids). <code>name-other-tenants.ts</code> names another tenant in the header. <code>send-as-users.ts</code> calls cached operations as two users of one tenant.</li><li><code>search-response.ts</code> searches responses for canaries of another side, and for ids that the application has made for it; <code>log-traces.ts</code> and <code>cache-traces.ts</code> (from <code>recorded-stores.ts</code>) search the log and the caches.</li><li><code>observations.ts</code> collects the results of each operation. <code>isolation-report.ts</code> gives the verdict: <code>PASS</code>, <code>LEAK</code>, or <code>INCONCLUSIVE</code> when no response could have shown a leak.</li></ol><p>The same seed creates the same requests.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("repository/src/testing/isolation/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
