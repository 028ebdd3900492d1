import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Sending a response","description":"","frontmatter":{"search":false,"prev":false,"next":false},"headers":[],"relativePath":"repository/src/http/send/README.md","filePath":"repository/src/http/send/README.md"}');
const _sfc_main = { name: "repository/src/http/send/README.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="sending-a-response" tabindex="-1">Sending a response <a class="header-anchor" href="#sending-a-response" aria-label="Permalink to &quot;Sending a response&quot;">​</a></h1><p>Every response is sent in one of these ways. The fast path writes the whole head in one call. It is taken if no code can observe the difference (<code>isUntouched</code> in <code>flat-head.ts</code>).</p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span> value of a handler     stored response     error                 handler with \`res\`</span></span>
<span class="line"><span> pipeline/steps/        features/cache/     pipeline/fail.ts      res.end, res.send,</span></span>
<span class="line"><span> respond.ts                                                       a pipe, a stream</span></span>
<span class="line"><span>      │                      │                   │                      │</span></span>
<span class="line"><span>      ▼                      ▼                   ▼                      │</span></span>
<span class="line"><span> send-json.ts           replay.ts           send-error.ts               │</span></span>
<span class="line"><span> res.json()             replayResponse()    sendError()                 │</span></span>
<span class="line"><span>      │                      │                   │                      │</span></span>
<span class="line"><span>      ├──── untouched? ──────┴──── untouched? ───┤                      │</span></span>
<span class="line"><span>      │  yes                                     │  no: setHeader,      │</span></span>
<span class="line"><span>      ▼                                          │  body unread: then   │</span></span>
<span class="line"><span> flat-head.ts  writeFlatHead()                   │  end-unread.ts       │</span></span>
<span class="line"><span> one writeHead: static and added headers as      │                      │</span></span>
<span class="line"><span> text, the others as a flat array                ▼                      ▼</span></span>
<span class="line"><span>      │                    response-headers.ts  writeHead(): the headers that were set,</span></span>
<span class="line"><span>      │                    the static ones as text beside them</span></span>
<span class="line"><span>      ▼                                          │</span></span>
<span class="line"><span> static-headers.ts  defineHeaderLines(): text is sent after the first line of the head</span></span>
<span class="line"><span>      │                                          │</span></span>
<span class="line"><span>      └──────────────► Node: writeHead, write, end ◄──────────────┘</span></span></code></pre></div><p>Texts from 64 KiB on are written as bytes (<code>wire-text.ts</code>), because Node reserves three times the length of a text that waits for its client. Express&#39; <code>res.send</code> does the same from 1,000 characters on.</p><p><code>res.json</code> calls Express&#39; own <code>json</code> where a setting (<code>etag</code>, <code>json spaces</code>, <code>json replacer</code>, <code>json escape</code>), a status without content or a replaced <code>send</code> requires it. <code>replay</code> answers a conditional request with 304 on the slow path only: a stored response with <code>ETag</code>, <code>Last-Modified</code> or <code>Vary</code> never takes the fast one.</p><p>Some responses do not leave at once, or are protected from later calls:</p><div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr><th>File</th><th>When</th></tr></thead><tbody><tr><td><code>hold-response.ts</code></td><td>the response waits for a commit: calls are recorded, and made after the commit; <code>check-sendable.ts</code> throws at once the errors that Node would throw then</td></tr><tr><td><code>keep-first-response.ts</code></td><td>the timeout, or a late error, responds in place of a handler that is still running: its calls are ignored</td></tr><tr><td><code>end-unread.ts</code></td><td>the body of a refused request is still arriving: the response is sent, then the connection is closed</td></tr><tr><td><code>stand-in.ts</code></td><td>the response has no connection (serverless adapters): every header is set by name, because the adapter reads <code>getHeaders()</code>; the methods in which it collects the body stay; destroying is an <code>error</code></td></tr><tr><td><code>raw-body.ts</code>, <code>send-raw.ts</code>, <code>send-stream.ts</code></td><td>a handler returns a stream, bytes, a <code>Blob</code> or a <code>Response</code>: it is sent without the envelope</td></tr><tr><td><code>file-response.ts</code>, <code>send-file.ts</code></td><td>a handler returns a <code>fileResponse</code>: <code>open-file.ts</code> opens it in its folder, <code>preconditions.ts</code> and <code>byte-range.ts</code> decide about 304, 412, 206 and 416, <code>send-stream.ts</code> sends it</td></tr><tr><td><code>status-of.ts</code></td><td>the status of a response: set by the handler, or by <code>@HttpCode</code> of the route</td></tr></tbody></table></div><p><code>response-class.ts</code> adds all these methods to the response class of an application, at boot.</p><p><code>HEAD</code>: a <code>HEAD</code> request runs the <code>GET</code> route of its path (<code>routing/build-find.ts</code>), unless the path has a <code>@Head</code> route. Every way above passes the whole body, and Node sends the head alone, with the <code>Content-Length</code> of the body (RFC 9110, 9.3.2). Only <code>replay</code>, on the slow path, leaves the body out itself.</p><p>405, and <code>Allow</code> for <code>OPTIONS</code>, are made in <code>pipeline/compile-dispatch.ts</code>, from the list of methods that the router collects.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("repository/src/http/send/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
