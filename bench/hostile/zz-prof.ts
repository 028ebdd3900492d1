import { createValidatorCompiler } from '../../src/schema/compile-validator.js'
import { CORPUS } from './corpus.js'
const c = CORPUS.find((x) => x.name === process.argv[2])!
const validate = await createValidatorCompiler()(c.schema, 'body')
for (let i = 0; i < 15; i++) { const v = JSON.parse(c.text); const a = process.cpuUsage(); await Promise.resolve(validate(v)).catch((e: any) => e.code); const b = process.cpuUsage(a); console.log((b.user / 1000).toFixed(0)) }
