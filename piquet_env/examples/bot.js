// A bot that takes the last legal action: `piquet evaluate "cmd:node bot.js" greedy`. Needs Node 18 or later.
const readline = require("node:readline");

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

say({
  type: "hello",
  protocol: "piquet-serve/1",
  versions: { rules: 1, actions: 1, observation: 1 },
  view: "piquet-view/1",
  bot: "the last legal action",
});
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, view } = JSON.parse(line);
  say({ type: "action", id, action: view.legal.at(-1) });
});
