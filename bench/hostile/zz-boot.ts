import { createValidatorCompiler } from '../../src/schema/compile-validator.js'
import { CORPUS } from './corpus.js'
const only = process.argv[2] ?? ''
const compile = createValidatorCompiler()
console.log('loaded', process.uptime().toFixed(1))
for (const { name, schema, source = 'body', text, status, path, code } of CORPUS) {
  if (!name.startsWith(only)) continue
  const t0 = process.cpuUsage().user / 1000
  const validate = await compile(schema, source)
  const t1 = process.cpuUsage().user / 1000
  const times: number[] = []
  let out: any
  for (let i = 0; i < 2; i++) {
    let value: unknown
    try { value = source === 'query' ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text) } catch { out = 'json'; break }
    const a = process.cpuUsage(); 
    try { out = await validate(value) } catch (e: any) { out = { code: e.code ?? String(e) } }
    const b = process.cpuUsage(a)
    times.push((b.user + b.system) / 1000)
  }
  const first = out.issues?.[0]
  const bad = out !== 'json' && code === undefined && source === 'body' && (status === 200 ? out.issues : status === 400 ? !out.issues || (path !== undefined && first?.path.join('.') !== path) : false) || (code?.startsWith('VAL') && out.code !== code)
  const slow = Math.max(...times, t1 - t0) > 40
  if (bad || slow) console.log(name, 'compile', (t1 - t0).toFixed(0), 'run', times.map((x) => x.toFixed(0)).join(' '), bad ? 'BAD ' + JSON.stringify(out)?.slice(0, 200) : '')
}
console.log('end', process.uptime().toFixed(1))
