// One route of Blazon's, twice: with an answer that is described, and without.
import { ApiResponseDoc, App, Controller, defineControllers, Get, type Schema } from 'blazon'
import { announce, workload } from '../candidates/serve.mjs'
import { ANSWERS, valuesOf } from '../serializer/answers.mjs'

const [lane, answer] = (workload as string).split(':') as [string, string]
const next = valuesOf(answer)

/** A JSON Schema. TypeScript reads the `type` of a literal in JavaScript as any string. */
const schema = ANSWERS[answer]?.schema as Schema

@Controller('answer')
class PlainController {
  @Get()
  read() {
    return next()
  }
}

@Controller('answer')
class DocumentedController {
  @Get()
  @ApiResponseDoc({ status: 200, description: 'An answer', schema })
  read() {
    return next()
  }
}

const controllers = defineControllers(
  lane === 'documented' ? DocumentedController : PlainController,
)
const app = new App({ controllers, security: { helmet: false }, logger: false })
const { port } = await app.listen(0, '127.0.0.1')
announce(port)
