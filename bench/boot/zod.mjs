// What of Blazon's boot is zod's: the schemas are made, and asked for their JSON Schema.
import { defineBody } from './bodies.mjs'
import { beginPhase, CONTROLLERS, endPhase } from './phase.mjs'

const phase = beginPhase()
const bodies = Array.from({ length: CONTROLLERS * 5 }, (_, n) => defineBody(n))
const options = { target: 'draft-2020-12' }
endPhase(phase, {
  text: JSON.stringify(bodies.map((body) => body['~standard'].jsonSchema.input(options))),
})
