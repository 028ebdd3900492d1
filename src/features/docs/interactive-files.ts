/**
 * Starts swagger-ui; `config` is declared before it. The URL of the document is made from the URL of the page, so it is
 * right under every prefix. It contains a path: servers may be relative to it.
 */
export const INIT_SCRIPT = `const url = location.pathname.replace(/\\/?$/, config.document)
const session = globalThis.sessionAuthorization

const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()

SwaggerUIBundle({
  ...config.options,
  url,
  dom_id: '#swagger-ui',
  layout: 'BaseLayout',
  presets: [SwaggerUIBundle.presets.apis],
  requestInterceptor: globalThis.followStreams,
  plugins: session === undefined ? [] : [session(url)],
})
`

/**
 * Stores the input of the "Authorize" dialog while the tab is open; served in development only. swagger-ui
 * itself uses `localStorage`, which every page of the origin can read, and which never expires.
 */
export const SESSION_SCRIPT = `globalThis.sessionAuthorization = (url) => {
  const key = 'authorization of ' + url
  const read = () => {
    try {
      return JSON.parse(sessionStorage.getItem(key))
    } catch {
      return null
    }
  }
  const write = (authorized) => {
    try {
      sessionStorage.setItem(key, JSON.stringify(authorized))
    } catch {
      // Storage may be disabled or full. Then the input is lost when the page closes.
    }
  }
  return () => ({
    statePlugins: {
      auth: {
        wrapActions: {
          persistAuthorizationIfNeeded: (_original, system) => () =>
            write(system.authSelectors.authorized().toJS()),
        },
      },
      configs: {
        wrapActions: {
          loaded: (original, system) => (...args) => {
            original(...args)
            const authorized = read()
            if (authorized !== null) system.authActions.restoreAuthorization({ authorized })
          },
        },
      },
    },
  })
}
`

/**
 * The styles that swagger-ui does not set: the page background, and layouts for screens that are too narrow
 * for its tables.
 */
export const INTERACTIVE_STYLE = `html { background: #fff; color-scheme: light }
body { margin: 0 }
noscript { display: block; padding: 2rem; font: 1rem/1.5 system-ui, sans-serif }
body > p { margin: 0; padding: 1rem 20px 0; font: 1rem/1.5 system-ui, sans-serif }
.swagger-ui .info { margin: 2rem 0 }
.swagger-ui .info .title, .swagger-ui .markdown p { overflow-wrap: anywhere }
/* The document has no links between operations to show. */
.swagger-ui .response-col_links { display: none }
@media (max-width: 40rem) {
  .swagger-ui .wrapper { padding: 0 .75rem }
  .swagger-ui .scheme-container { padding: 1rem 0 }
  .swagger-ui .opblock-tag { flex-wrap: wrap; padding: .5rem 0 }
  .swagger-ui .opblock .opblock-section-header { padding: .5rem .75rem }
  .swagger-ui .opblock-description-wrapper,
  .swagger-ui .opblock .table-container,
  .swagger-ui .responses-inner { padding: .75rem }
  .swagger-ui .opblock-section-request-body .opblock-description-wrapper { padding: .75rem }
  .swagger-ui .responses-table,
  .swagger-ui .responses-table > tbody,
  .swagger-ui .responses-table > tbody > tr,
  .swagger-ui .responses-table > tbody > tr > td { display: block; width: auto; max-width: 100%; min-width: 0 }
  .swagger-ui .responses-table > thead { display: none }
  .swagger-ui .responses-table > tbody > tr > td { padding: .35rem 0 }
  .swagger-ui .table-container > table,
  .swagger-ui .table-container > table > tbody,
  .swagger-ui .table-container > table > tbody > tr,
  .swagger-ui .table-container > table > tbody > tr > td { display: block; width: auto; max-width: 100%; min-width: 0 }
  .swagger-ui .table-container > table > thead { display: none }
  .swagger-ui .table-container > table > tbody > tr > td { padding: .35rem 0 }
  .swagger-ui .parameters input:not([type=checkbox]), .swagger-ui .parameters select, .swagger-ui textarea { max-width: 100%; min-width: 0; width: 100% }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: calc(100vw - 1.5rem) }
  .swagger-ui section.models { margin: 1.5rem 0 }
  .swagger-ui .model-container, .swagger-ui .model-box { max-width: 100%; overflow-x: auto }
}
@media (prefers-color-scheme: dark) {
  html { background: #1c2022; color-scheme: dark; color: #e4e6e6 }
  .swagger-ui .headers .header-col { color: #e4e6e6 }
}
`
