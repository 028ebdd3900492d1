// A bare server that makes its JSON in one of three ways: what a serializer can gain at most.
import { createServer } from 'node:http'
import fastJson from 'fast-json-stringify'
import { serve, workload } from '../candidates/serve.mjs'
import { envelope } from '../orders.mjs'
import { ANSWERS, valuesOf } from '../serializer/answers.mjs'

const [lane, answer] = workload.split(':')
const next = valuesOf(answer)
const { schema: data } = ANSWERS[answer]

const text = { type: 'string' }
const enveloped = {
  type: 'object',
  properties: { statusCode: text, status: { type: 'integer' }, message: text, data },
  required: ['statusCode', 'status', 'message', 'data'],
}

const SERIALIZERS = {
  stringify: () => JSON.stringify,
  fast: () => fastJson(enveloped),
  checked() {
    const [stringify, fits] = [fastJson(enveloped), compileCheck(enveloped)]
    return (value) => (fits(value) ? stringify(value) : JSON.stringify(value))
  },
}

/** The least that must be known of a value before a serializer may have it that leaves out what it does not know, and converts what it does. */
function compileCheck(schema) {
  const functions = []
  const test = (part, value) => {
    if (part.format === 'date-time') return `(${value} instanceof Date)`
    if (part.type === 'string') return `typeof ${value} === 'string'`
    if (part.type === 'integer') return `Number.isInteger(${value})`
    if (part.type === 'number') return `Number.isFinite(${value})`
    return `${part.type === 'array' ? list(part) : object(part)}(${value})`
  }
  const define = (body) => {
    const name = `check${functions.length}`
    functions.push(
      `function ${name}(v) { if (typeof v !== 'object' || v === null || v.toJSON !== undefined) return false; ${body} }`,
    )
    return name
  }
  const list = ({ items }) =>
    define(
      `if (!Array.isArray(v)) return false; for (const i of v) if (!(${test(items, 'i')})) return false; return true`,
    )
  const object = ({ properties }) => {
    const parts = Object.entries(properties).map(([name, part]) => test(part, `v.${name}`))
    return define(
      `let n = 0; for (const k in v) n++; return n === ${parts.length} && ${parts.join(' && ')}`,
    )
  }
  const root = object(schema)
  return new Function(`${functions.join('\n')}\nreturn ${root}`)()
}

const serialize = SERIALIZERS[lane]()

serve(
  createServer((_req, res) => {
    const body = serialize(envelope(200, 'OK', next()))
    const length = Buffer.byteLength(body)
    res.writeHead(200, [
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      length,
    ])
    res.end(body)
  }),
)
