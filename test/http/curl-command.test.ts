import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type CurlRequest, curlCommand } from '../../src/http/curl-command.js'

const NOTHING = { method: 'GET', url: 'http://a.test/', headers: [], body: null } as const

/** The arguments that a shell passes to curl. */
function wordsOf(request: Partial<CurlRequest>, shell = 'sh'): string[] {
  const command = curlCommand({ ...NOTHING, ...request })
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}`
  const env = { TOKEN: 't 0', CARD_NUMBER: 'c0', _1: 'n0' }
  return execFileSync(shell, ['-c', script], { env, encoding: 'latin1' }).split('\0').slice(0, -1)
}

describe('a curl command', () => {
  it('names the method if curl would use another method by default', () => {
    expect(curlCommand(NOTHING)).toBe("curl 'http://a.test/'")
    expect(wordsOf({ body: 'a' })).toEqual(['-X', 'GET', 'http://a.test/', '--data-raw', 'a'])
    expect(wordsOf({ more: ["-F 'a=@b'"] }).slice(0, 2)).toEqual(['-X', 'GET'])
    expect(wordsOf({ method: 'HEAD' })).toEqual(['--head', 'http://a.test/'])
    expect(wordsOf({ method: 'POST' })).toEqual(['-X', 'POST', 'http://a.test/'])
  })

  it('reads secrets from shell variables', () => {
    const bearer = ['Bearer ', { secret: 'token' }]
    const card = ['{"a":"', { secret: 'cardNumber' }, '","b":"', { secret: '1' }, '"}']
    const url = ['http://a.test/?token=', { secret: 'token' }, 'rest']
    expect(curlCommand({ ...NOTHING, headers: [['authorization', bearer]] })).toContain(
      '-H "authorization: Bearer $TOKEN"',
    )
    expect(wordsOf({ url, headers: [['authorization', bearer]], body: card })).toEqual([
      '-X',
      'GET',
      'http://a.test/?token=t 0rest',
      '-H',
      'authorization: Bearer t 0',
      '--data-raw',
      '{"a":"c0","b":"n0"}',
    ])
  })

  it('does not make any shell execute a part of the request', () => {
    const evil = `it's $(touch x) \`id\` "\\ ;&|\n#!'`
    const headers = [
      ['x-a', [evil, { secret: 'token' }]],
      ['x-b', evil],
    ] as const
    const words = ['--globoff', '-X', 'GET', evil, '-H', `x-a: ${evil}t 0`, '-H', `x-b: ${evil}`]
    const url = `${evil}[`
    for (const shell of ['sh', 'bash']) {
      const found = wordsOf({ url, headers, body: evil }, shell)
      expect(found).toEqual([...words.with(3, url), '--data-raw', evil])
      // Only bash reads the bytes of such a header. No shell runs a part of it.
      expect(wordsOf({ headers: [['x', `é${evil}`]] }, shell)).toHaveLength(3)
    }
  })

  it('sends exactly the request that it was created for', async ({ skip }) => {
    if (!hasCurl()) skip('This machine has no curl.')
    const received: { req: IncomingMessage; body: string }[] = []
    const server = createServer(async (req, res) => {
      let body = ''
      for await (const chunk of req.setEncoding('latin1')) body += chunk
      received.push({ req, body })
      res.end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const { execFile } = await import('node:child_process')
    const command = curlCommand({
      method: 'GET',
      url: `http://127.0.0.1:${port}/a?b[c]={d}`,
      headers: [
        ['x-empty', ''],
        ['x-name', 'é'],
      ],
      body: '@file',
    })
    await promisify(execFile)('bash', ['-c', `${command} --silent`])
    const [{ req, body } = { req: undefined, body: '' }] = received
    expect(req).toMatchObject({ method: 'GET', url: '/a?b[c]={d}' })
    expect(req?.headers).toMatchObject({ 'x-empty': '', 'x-name': 'é' })
    expect(body).toBe('@file')
  })
})

function hasCurl(): boolean {
  try {
    return execFileSync('curl', ['--version']).length > 0
  } catch {
    return false
  }
}
