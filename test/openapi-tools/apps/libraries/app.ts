import { type AppOptions, defineAppOptions, defineControllers } from 'blazon'
import {
  ArktypeController,
  JsonController,
  TypeboxController,
  ValibotController,
} from './libraries-controllers.js'

/** Valibot, arktype, TypeBox and plain JSON Schema, side by side. */
export const options: AppOptions = defineAppOptions({
  controllers: defineControllers(
    ValibotController,
    ArktypeController,
    TypeboxController,
    JsonController,
  ),
  logger: false,
  openapi: {
    title: 'Four libraries',
    description: 'The same thing, described four times.',
    contact: { name: 'API', url: 'https://example.com', email: 'api@example.com' },
    tags: ['Json', 'Valibot', 'Arktype', 'Typebox'].map((name) => ({
      name,
      description: `The thing of ${name}.`,
    })),
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  },
})
