// Loaded into a process that is given no home: the system's record of its user names one of the test's.
const os = require("node:os");

const { userInfo } = os;
os.userInfo = (...given) => ({ ...userInfo(...given), homedir: process.env.ACCOUNT_HOME });
