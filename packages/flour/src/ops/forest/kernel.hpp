/**
 * dense f32 or f64 -> the same dtype [C]: a forest in its general form. Parameters: i32 feature[N], f64 threshold[N],
 * i32 mode[N] (as `tree_ensemble`, 7 member), i32 true[N], i32 false[N], i32 missingTrue[N], i32 roots[T], i32
 * leafStart[N + 1], i32 leafTarget[W], f64 leafWeight[W], f64 base[C], i32 memberStart[N + 1], f64 members[M].
 * Attribute: 0 sum 1 average 2 min 3 max.
 */
struct ForestKernel {
  static constexpr int32_t kLeafMode = 6, kMemberMode = 7;

  template <class Source>
  struct Arrays {
    const Source& s;
    const int32_t* feature = s.template parameter<int32_t>(0);
    const double* threshold = s.template parameter<double>(1);
    const int32_t* mode = s.template parameter<int32_t>(2);
    const int32_t* yes = s.template parameter<int32_t>(3);
    const int32_t* no = s.template parameter<int32_t>(4);
    const int32_t* missing = s.template parameter<int32_t>(5);
    const int32_t* roots = s.template parameter<int32_t>(6);
    const int32_t* leaf_start = s.template parameter<int32_t>(7);
    const int32_t* leaf_target = s.template parameter<int32_t>(8);
    const double* leaf_weight = s.template parameter<double>(9);
    const double* base = s.template parameter<double>(10);
    const int32_t* member_start = s.template parameter<int32_t>(11);
    const double* members = s.template parameter<double>(12);
  };

  static void check(Signature& s) {
    s.arity(1, 13, 1);
    s.attribute_below(0, 4);
    const SlotType &in = s.inputs[0], &out = s.outputs[0];
    s.need(in.kind == Kind::dense && (in.dtype == DType::f32 || in.dtype == DType::f64), "expected dense floats");
    s.dense(out, in.dtype);
    const uint64_t nodes = s.parameters[0]->bytes() / 4, weights = s.parameters[8]->bytes() / 4,
                   members = s.parameters[12]->bytes() / 8;
    s.need_parameter(nodes < kMaxSize && weights < kMaxSize && members < kMaxSize, "parameter of a wrong length");
    for (const size_t array : {0, 2, 3, 4, 5}) s.parameter_bytes(array, nodes * 4);
    s.parameter_bytes(1, nodes * 8);
    s.need_parameter(s.parameters[6]->bytes() % 4 == 0, "parameter of a wrong length");
    s.parameter_bytes(7, (nodes + 1) * 4);
    s.parameter_bytes(8, weights * 4);
    s.parameter_bytes(9, weights * 8);
    s.parameter_bytes(10, uint64_t{out.size} * 8);
    s.parameter_bytes(11, (nodes + 1) * 4);
    s.parameter_bytes(12, members * 8);
    const Arrays<Signature> forest{s};
    check_nodes(s, forest, static_cast<int32_t>(nodes));
    check_starts(s, forest.leaf_start, nodes, weights);
    check_starts(s, forest.member_start, nodes, members);
    for (uint64_t at = 0; at < weights; at++) {
      const int32_t target = forest.leaf_target[at];
      s.need_parameter(target >= 0 && static_cast<uint32_t>(target) < out.size, "target out of range");
    }
    for (size_t tree = 0; tree < s.parameters[6]->bytes() / 4; tree++) {
      s.need_parameter(forest.roots[tree] >= 0 && static_cast<uint64_t>(forest.roots[tree]) < nodes,
                       "root out of range");
    }
  }

  static void check_nodes(Signature& s, const Arrays<Signature>& forest, int32_t nodes) {
    for (int32_t at = 0; at < nodes; at++) {
      s.need_parameter(forest.mode[at] >= 0 && forest.mode[at] <= kMemberMode, "unknown mode of a tree node");
      if (forest.mode[at] == kLeafMode) continue;
      s.need_parameter(forest.feature[at] >= 0 && static_cast<uint32_t>(forest.feature[at]) < s.inputs[0].size,
                       "feature out of range");
      const bool is_ahead =
          forest.yes[at] > at && forest.yes[at] < nodes && forest.no[at] > at && forest.no[at] < nodes;
      s.need_parameter(is_ahead, "a child's number is not greater than its parent's");
    }
  }

  static void check_starts(Signature& s, const int32_t* starts, uint64_t nodes, uint64_t end) {
    s.need_parameter(starts[0] == 0 && starts[nodes] == static_cast<int64_t>(end), "starts out of range");
    for (uint64_t at = 0; at < nodes; at++) s.need_parameter(starts[at] <= starts[at + 1], "starts do not grow");
  }

  static bool compare(const Arrays<Run>& forest, int32_t node, double value) {
    const double threshold = forest.threshold[node];
    switch (forest.mode[node]) {
      case 0:
        return value <= threshold;
      case 1:
        return value < threshold;
      case 2:
        return value >= threshold;
      case 3:
        return value > threshold;
      case 4:
        return value == threshold;
      case 5:
        return value != threshold;
      default:
        for (int32_t at = forest.member_start[node]; at < forest.member_start[node + 1]; at++) {
          if (forest.members[at] == value) return true;
        }
        return false;
    }
  }

  template <class T>
  static int32_t walk(const Arrays<Run>& forest, int32_t node, const T* features) {
    while (forest.mode[node] != kLeafMode) {
      const T value = features[forest.feature[node]];
      const bool is_taken = value != value ? forest.missing[node] == 1 : compare(forest, node, value);
      node = is_taken ? forest.yes[node] : forest.no[node];
    }
    return node;
  }

  template <class T>
  static T joined(int32_t aggregate, bool is_first, T score, T weight) {
    if (aggregate < 2) return score + weight;
    if (is_first) return weight;
    return (aggregate == 2 ? weight < score : weight > score) ? weight : score;
  }

  template <class T>
  static void add_up(Run& r) {
    const Arrays<Run> forest{r};
    const auto trees = static_cast<uint32_t>(r.call.parameters[6]->bytes() / 4);
    const uint32_t features = r.input_type(0).size, targets = r.output_type().size;
    const int32_t aggregate = r.attribute(0);
    auto* is_scored = r.scratch.sums.reserve<uint8_t>(targets, *r.scratch.growth);
    const T* in = r.dense<T>(0);
    T* scores = r.write_dense<T>();
    for (uint32_t row = 0; row < r.rows; row++, in += features, scores += targets) {
      __builtin_memset(is_scored, 0, targets);
      for (uint32_t target = 0; target < targets; target++) scores[target] = 0;
      for (uint32_t tree = 0; tree < trees; tree++) {
        const int32_t leaf = walk(forest, forest.roots[tree], in);
        for (int32_t at = forest.leaf_start[leaf]; at < forest.leaf_start[leaf + 1]; at++) {
          const int32_t target = forest.leaf_target[at];
          const T weight = static_cast<T>(forest.leaf_weight[at]);
          scores[target] = joined(aggregate, !is_scored[target], scores[target], weight);
          is_scored[target] = 1;
        }
      }
      for (uint32_t target = 0; target < targets; target++) {
        const T score = aggregate == 1 ? scores[target] / static_cast<T>(trees) : scores[target];
        scores[target] = score + static_cast<T>(forest.base[target]);
      }
    }
  }

  static void run(Run& r) { r.input_type(0).dtype == DType::f64 ? add_up<double>(r) : add_up<float>(r); }
};
