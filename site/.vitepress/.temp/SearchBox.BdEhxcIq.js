import { ref, shallowRef, onMounted, computed, mergeProps, useSSRContext } from "vue";
import { ssrRenderAttrs, ssrRenderAttr, ssrInterpolate, ssrRenderList } from "vue/server-renderer";
import MiniSearch from "minisearch";
import { u as useData, w as withBase } from "./app.js";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
import "@vueuse/core";
const localSearchIndex = { "root": () => import("./@localSearchIndexroot.uzU1fUFu.js") };
function weightsOf(words) {
  return (id, word, { titles }) => {
    var _a;
    if (/\/api\/./.test(id)) return 0.4;
    if (/\/(project\/|supply-chain)/.test(id)) return 0.15;
    const [page] = id.split("#");
    return titles.length === 0 && ((_a = words.get(page)) == null ? void 0 : _a.includes(word)) ? 7 : 1;
  };
}
const MOST = 12;
const MOST_OF_A_PAGE = 3;
const _sfc_main = {
  __name: "SearchBox",
  __ssrInlineRender: true,
  emits: ["close"],
  setup(__props, { emit: __emit }) {
    const words = useData().theme.value.words;
    const boostDocument = weightsOf(
      new Map(words.map(([path, found]) => [withBase(`/${path}.html`), found.split(" ")]))
    );
    const dialog = ref(null);
    const query = ref("");
    const index = shallowRef(null);
    onMounted(async () => {
      dialog.value.showModal();
      const { default: json } = await localSearchIndex.root();
      index.value = MiniSearch.loadJSON(json, {
        fields: ["title", "titles", "text"],
        storeFields: ["title", "titles", "lead"]
      });
    });
    const results = computed(() => {
      const text = query.value.trim();
      if (index.value === null || text === "") return [];
      const options = {
        prefix: true,
        fuzzy: 0.15,
        boost: { title: 4, titles: 2 },
        boostDocument
      };
      const all = index.value.search(text, { ...options, combineWith: "AND" });
      return fewOfEachPage(all.length > 0 ? all : index.value.search(text, options));
    });
    function fewOfEachPage(found) {
      const counts = /* @__PURE__ */ new Map();
      const kept = found.filter(({ id }) => {
        const [page] = id.split("#");
        counts.set(page, (counts.get(page) ?? 0) + 1);
        return counts.get(page) <= MOST_OF_A_PAGE;
      });
      return kept.slice(0, MOST);
    }
    const summary = computed(() => {
      if (query.value.trim() === "")
        return "Type a few words: a task, an option, the name of a decorator.";
      if (index.value === null) return "Loading …";
      if (results.value.length === 0) return "No page has these words.";
      return `${results.value.length} results`;
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<dialog${ssrRenderAttrs(mergeProps({
        ref_key: "dialog",
        ref: dialog,
        class: "search-box",
        "aria-label": "Search"
      }, _attrs))} data-v-fe19ddf1><div class="inside" data-v-fe19ddf1><form data-v-fe19ddf1><input id="search-words"${ssrRenderAttr("value", query.value)} type="text" autocomplete="off" autofocus aria-label="Words" placeholder="Search" data-v-fe19ddf1><button type="button" data-v-fe19ddf1>Close</button></form><p role="status" data-v-fe19ddf1>${ssrInterpolate(summary.value)}</p><ul class="found" data-v-fe19ddf1><!--[-->`);
      ssrRenderList(results.value, ({ id, title, titles, lead }) => {
        _push(`<li data-v-fe19ddf1><a${ssrRenderAttr("href", id)} data-v-fe19ddf1>`);
        if (id.includes("/api/")) {
          _push(`<span class="above" data-v-fe19ddf1>API › </span>`);
        } else {
          _push(`<!---->`);
        }
        _push(`<!--[-->`);
        ssrRenderList(titles, (part) => {
          _push(`<span class="above" data-v-fe19ddf1><span data-v-fe19ddf1>${part ?? ""}</span> › </span>`);
        });
        _push(`<!--]--><span data-v-fe19ddf1>${title ?? ""}</span>`);
        if (lead) {
          _push(`<span class="lead" data-v-fe19ddf1>${lead ?? ""}</span>`);
        } else {
          _push(`<!---->`);
        }
        _push(`</a></li>`);
      });
      _push(`<!--]--></ul></div></dialog>`);
    };
  }
};
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("../../.vitepress/theme/SearchBox.vue");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SearchBox = /* @__PURE__ */ _export_sfc(_sfc_main, [["__scopeId", "data-v-fe19ddf1"]]);
export {
  SearchBox as default
};
