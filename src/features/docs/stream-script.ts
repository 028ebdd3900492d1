/**
 * Shows a stream while it arrives. swagger-ui waits for the end of a response, which a stream may never have. The text so far
 * is the response that swagger-ui gets, when the stream ends, when the reader stops it, or when it is long.
 */
export const STREAM_SCRIPT = `globalThis.followStreams = (() => {
  const STREAMS = /^(?:text\\/event-stream|application\\/jsonl)\\b/i
  const MOST = 1000000
  const SHOWN = 4000

  const panel = (url) => {
    const box = document.createElement('section')
    box.className = 'stream'
    box.setAttribute('aria-label', 'Stream')
    const title = document.createElement('h2')
    title.textContent = 'Receiving ' + new URL(url, location.href).pathname
    const stop = document.createElement('button')
    stop.type = 'button'
    stop.textContent = 'Stop'
    const output = document.createElement('pre')
    output.setAttribute('role', 'log')
    output.tabIndex = 0
    box.append(title, stop, output)
    document.body.append(box)
    return { box, stop, output }
  }

  const readAll = async (response, url) => {
    const { box, stop, output } = panel(url)
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    stop.addEventListener('click', () => void reader.cancel())
    let text = ''
    try {
      while (text.length < MOST) {
        const { done, value } = await reader.read()
        if (done) break
        text += decoder.decode(value, { stream: true })
        output.textContent = text.slice(-SHOWN)
        output.scrollTop = output.scrollHeight
      }
      if (text.length >= MOST) await reader.cancel()
    } catch (error) {
      text += '\\n' + String(error)
    } finally {
      box.remove()
    }
    return text
  }

  const fetchStream = async (url, init) => {
    const response = await fetch(url, init)
    const type = response.headers.get('content-type') ?? ''
    if (response.body === null || !STREAMS.test(type)) return response
    const { status, statusText, headers } = response
    return new Response(await readAll(response, url), { status, statusText, headers })
  }

  return (request) => {
    request.userFetch = fetchStream
    return request
  }
})()
`

/** The styles of the panel that shows a stream. */
export const STREAM_STYLE = `.stream { position: fixed; inset: auto 0 0 0; z-index: 10; display: grid; grid-template-columns: 1fr auto; gap: .5rem 1rem; align-items: center; padding: 1rem; background: #fff; border-top: 2px solid #3b4151; font-family: system-ui, sans-serif }
.stream h2 { margin: 0; font-size: 1rem; overflow-wrap: anywhere }
.stream button { padding: .4rem 1rem; font: inherit; cursor: pointer }
.stream pre { grid-column: 1 / -1; margin: 0; max-height: 30vh; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem }
@media (prefers-color-scheme: dark) { .stream { background: #1c2022; border-color: #e4e6e6 } }
`
