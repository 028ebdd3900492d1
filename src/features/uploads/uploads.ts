/** The code that an application loads if a route has `@Upload`. */
export { loadBusboy } from './load-busboy.js'
export { uploadStage } from './upload-stage.js'
