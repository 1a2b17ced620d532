export interface Streams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Says on a terminal that work goes on, until it is stopped. */
export interface ProgressLine {
  update(text: string): void;
  stop(): void;
}
